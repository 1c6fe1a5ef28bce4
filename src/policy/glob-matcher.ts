import type { GlobPart } from './glob-part.ts';
import { isInClass } from './wildcards.ts';

/** Whether a path, or a folder above it, is what the glob describes. */
export type GlobMatcher = (path: string) => boolean;

/**
 * A glob as a machine that reads the path once and knows at each character all places in the glob where it may be. So the
 * time is bounded by the length of the path times that of the glob, with alternatives and any number of stars.
 */
export function globMatcher(parts: readonly GlobPart[]): GlobMatcher {
  const prefix = literalPrefix(parts);
  const states = statesOf(parts.slice(prefix.length));
  return (path) => path.startsWith(prefix.text) && run(states, path, prefix.text.length);
}

/** What every match begins with: compared as a whole before the machine runs. */
function literalPrefix(parts: readonly GlobPart[]): { readonly text: string; readonly length: number } {
  const end = parts.findIndex(({ kind }) => kind !== 'text');
  // `**` looks at the slash before it, and stands behind it anyway.
  const literal = parts.slice(0, end === -1 ? parts.length : end);
  return { text: literal.map((part) => (part.kind === 'text' ? part.text : '')).join(''), length: literal.length };
}

type State =
  /** Takes one character if it fits. */
  | { readonly kind: 'take'; readonly fits: (character: number) => boolean; readonly next: number }
  /** Takes nothing: is at all of these at once. */
  | { readonly kind: 'split'; readonly next: readonly number[] }
  | { readonly kind: 'end' };

const slash = 0x2f;

/** One state for each part, in order; the last is the end. */
function statesOf(parts: readonly GlobPart[]): readonly State[] {
  const states: State[] = [];
  const take = (fits: (character: number) => boolean, next: number): State => ({ kind: 'take', fits, next });
  /** Positions of `open`, and for each the ends of its branches that must lead behind its `close`. */
  const groups: { readonly open: number; readonly branches: number[]; readonly ends: number[] }[] = [];
  for (const part of parts) {
    const at = states.length;
    switch (part.kind) {
      case 'text': {
        const wanted = part.text.codePointAt(0);
        states.push(take((character) => character === wanted, at + 1));
        break;
      }
      case 'one':
        states.push(take((character) => character !== slash, at + 1));
        break;
      case 'class':
        states.push(take((character) => character !== slash && isInClass(part, character), at + 1));
        break;
      case 'some':
        states.push(
          { kind: 'split', next: [at + 1, at + 2] },
          take((character) => character !== slash, at),
        );
        break;
      case 'anything':
        states.push(
          { kind: 'split', next: [at + 1, at + 2] },
          take(() => true, at),
        );
        break;
      case 'folders':
        // Nothing at all, or anything that ends with a slash.
        states.push(
          { kind: 'split', next: [at + 1, at + 3] },
          { kind: 'split', next: [at + 2, at + 4] },
          take(() => true, at + 1),
          { kind: 'split', next: [at + 5] },
          take((character) => character === slash, at + 5),
        );
        break;
      case 'open':
        groups.push({ open: at, branches: [at + 1], ends: [] });
        states.push({ kind: 'split', next: [] });
        break;
      case 'or': {
        const group = groups.at(-1);
        group?.ends.push(at);
        group?.branches.push(at + 1);
        states.push({ kind: 'split', next: [] });
        break;
      }
      case 'close': {
        const group = groups.pop();
        for (const end of group?.ends ?? []) states[end] = { kind: 'split', next: [at + 1] };
        if (group !== undefined) states[group.open] = { kind: 'split', next: group.branches };
        states.push({ kind: 'split', next: [at + 1] });
        break;
      }
    }
  }
  states.push({ kind: 'end' });
  return states;
}

function run(states: readonly State[], path: string, from: number): boolean {
  const seen = new Uint32Array(states.length);
  let round = 0;
  let now: number[] = [];
  const enter = (state: number): void => {
    const waiting = [state];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      if (seen[at] === round) continue;
      seen[at] = round;
      const found = states[at];
      if (found?.kind === 'split') waiting.push(...found.next);
      else now.push(at);
    }
  };
  round = 1;
  enter(0);
  for (let at = from; ;) {
    const character = path.codePointAt(at);
    // A match must end where a component ends.
    const isBorder = character === undefined || character === slash;
    if (isBorder && now.some((state) => states[state]?.kind === 'end')) return true;
    if (character === undefined || now.length === 0) return false;
    const before = now;
    now = [];
    round += 1;
    for (const state of before) {
      const found = states[state];
      if (found?.kind === 'take' && found.fits(character)) enter(found.next);
    }
    at += character > 0xffff ? 2 : 1;
  }
}
