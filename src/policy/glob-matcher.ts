import { isInClass } from './wildcards.ts';

/**
 * Git-style globs on absolute paths: `*` and `?` stay inside a component, `**` crosses components, `[a-z]` and `[!a-z]`
 * are classes, `{a,b}` are alternatives, a backslash takes the next character as it is. A `[` that is never closed is
 * an ordinary character.
 */
export type GlobPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'one' }
  | { readonly kind: 'some' }
  /** `**` followed by a slash: no component, or any number of them. */
  | { readonly kind: 'folders' }
  | { readonly kind: 'anything' }
  | { readonly kind: 'class'; readonly negated: boolean; readonly ranges: readonly (readonly [string, string])[] }
  | { readonly kind: 'open' }
  | { readonly kind: 'or' }
  | { readonly kind: 'close' };

/** Whether a path, or a folder above it, is what the glob describes. */
export type GlobMatcher = (path: string) => boolean;

/**
 * A glob as a machine that reads the path once and knows at each character all places in the glob where it may be. So the
 * time is bounded by the length of the path times that of the glob, with alternatives and any number of stars.
 */
export function globMatcher(parts: readonly GlobPart[]): GlobMatcher {
  const end = parts.findIndex(({ kind }) => kind !== 'text');
  const literal = parts.slice(0, end === -1 ? parts.length : end);
  // What every match begins with is compared as a whole before the machine runs.
  const prefix = literal.map((part) => (part.kind === 'text' ? part.text : '')).join('');
  const states = statesOf(parts.slice(literal.length));
  return (path) => path.startsWith(prefix) && run(states, path, prefix.length);
}

/** Takes one character if it fits; without `fits`, none. Then the machine is at all of `next` at once. The last is the end. */
interface State {
  readonly fits?: (character: number) => boolean;
  readonly next: number[];
}

const slash = 0x2f;
const anything = (): boolean => true;
const inComponent = (character: number): boolean => character !== slash;

function statesOf(parts: readonly GlobPart[]): readonly State[] {
  const states: State[] = [];
  /** Of each `{` that is open: its state, and the ends of its branches, which lead behind its `}`. */
  const groups: { readonly open: State; readonly ends: State[] }[] = [];
  for (const part of parts) {
    const at = states.length;
    const state: State = { next: [at + 1] };
    switch (part.kind) {
      case 'text': {
        const wanted = part.text.codePointAt(0);
        states.push({ ...state, fits: (character) => character === wanted });
        break;
      }
      case 'one':
        states.push({ ...state, fits: inComponent });
        break;
      case 'class':
        states.push({ ...state, fits: (character) => character !== slash && isInClass(part, character) });
        break;
      case 'some':
      case 'anything': {
        const next = [at + 1, at + 2];
        states.push({ next }, { fits: part.kind === 'some' ? inComponent : anything, next });
        break;
      }
      case 'folders':
        // Nothing at all, or anything that ends with a slash.
        states.push(
          { next: [at + 1, at + 2, at + 3] },
          { fits: anything, next: [at + 1, at + 2] },
          { fits: (character) => character === slash, next: [at + 3] },
        );
        break;
      case 'open':
        groups.push({ open: state, ends: [] });
        states.push(state);
        break;
      case 'or': {
        const end: State = { next: [] };
        groups.at(-1)?.open.next.push(at + 1);
        groups.at(-1)?.ends.push(end);
        states.push(end);
        break;
      }
      case 'close':
        for (const end of groups.pop()?.ends ?? []) end.next.push(at + 1);
        states.push(state);
        break;
    }
  }
  return [...states, { next: [] }];
}

function run(states: readonly State[], path: string, from: number): boolean {
  const seen = new Uint32Array(states.length);
  let round = 0;
  let now: number[] = [];
  const enter = (entered: readonly number[]): void => {
    const waiting = [...entered];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      if (seen[at] === round) continue;
      seen[at] = round;
      const { fits, next } = states[at]!;
      if (fits === undefined && next.length > 0) waiting.push(...next);
      else now.push(at);
    }
  };
  round = 1;
  enter([0]);
  for (let at = from; ;) {
    const character = path.codePointAt(at);
    // A match must end where a component ends.
    const isBorder = character === undefined || character === slash;
    if (isBorder && now.includes(states.length - 1)) return true;
    if (character === undefined || now.length === 0) return false;
    const before = now;
    now = [];
    round += 1;
    for (const state of before) {
      const { fits, next } = states[state]!;
      if (fits?.(character) === true) enter(next);
    }
    at += character > 0xffff ? 2 : 1;
  }
}
