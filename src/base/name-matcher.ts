/** A part of a pattern for names and paths. A *component* is the text between two slashes. */
export type NamePatternPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'one' }
  | { readonly kind: 'some' }
  /** Any number of components, also none, each with the slash behind it. */
  | { readonly kind: 'folders' }
  | { readonly kind: 'anything' }
  | { readonly kind: 'class'; readonly negated: boolean; readonly ranges: readonly CharacterRange[] }
  /** Alternatives: the parts between `open`, `or` and `close`. */
  | { readonly kind: 'open' }
  | { readonly kind: 'or' }
  | { readonly kind: 'close' };

/** Code points, both ends included. */
export type CharacterRange = readonly [string, string];
export type NameMatcher = (name: string) => boolean;

/**
 * Tracks all places in the pattern at once: time is bounded by name length times pattern length. Patterns without
 * alternatives only backtrack to the last star. `covers`: also matches everything below a matched folder.
 */
export function nameMatcher(
  parts: readonly NamePatternPart[],
  { covers = false }: { readonly covers?: boolean } = {},
): NameMatcher {
  const end = parts.findIndex(({ kind }) => kind !== 'text');
  const literal = parts.slice(0, end === -1 ? parts.length : end);
  const rest = parts.slice(literal.length);
  // Fast way out: most names lack a text that every match contains.
  const prefix = literal.map((part) => (part.kind === 'text' ? part.text : '')).join('');
  const inside = longestText(rest);
  const isSimple = rest.every(({ kind }) => !['open', 'or', 'close', 'anything'].includes(kind));
  const run = isSimple ? inOrder(rest, covers) : machine(statesOf(rest), covers);
  return (name) => name.startsWith(prefix) && name.includes(inside, prefix.length) && run(name, prefix.length);
}

function longestText(parts: readonly NamePatternPart[]): string {
  let [longest, now, depth] = ['', '', 0];
  for (const part of parts) {
    if (part.kind === 'open') depth += 1;
    if (part.kind === 'close') depth -= 1;
    now = part.kind === 'text' && depth === 0 ? now + part.text : '';
    if (now.length > longest.length) longest = now;
  }
  return longest;
}

/** Takes a character that `fits`, or none without `fits`; then all of `next` are active at once. Last comes the end. */
type State = { readonly fits?: (character: number) => boolean; readonly next: number[] };
const slash = 0x2f;
const anything = (): boolean => true;
const inComponent = (character: number): boolean => character !== slash;

function fitsClass({ negated, ranges }: Extract<NamePatternPart, { kind: 'class' }>): (character: number) => boolean {
  const codes = ranges.map(([from, to]) => [from.codePointAt(0) ?? 0, to.codePointAt(0) ?? 0] as const);
  return (each) => each !== slash && codes.some(([from, to]) => from <= each && each <= to) !== negated;
}

/**
 * A later star can take all that an earlier one of its component could, and a `folders` all that any star before it
 * could. So it is enough to backtrack to the last star, then to the last `folders`.
 */
function inOrder(parts: readonly NamePatternPart[], covers: boolean): (name: string, from: number) => boolean {
  type Step = 'some' | 'folders' | ((character: number) => boolean);
  const steps = parts.flatMap((part): readonly Step[] => {
    if (part.kind === 'text') return [...part.text].map((sign) => (each: number) => each === sign.codePointAt(0));
    if (part.kind === 'class') return [fitsClass(part)];
    return part.kind === 'some' || part.kind === 'folders' ? [part.kind] : [inComponent];
  });
  return (name, from) => {
    let [at, step] = [from, 0];
    let [some, someAt, folders, foldersAt] = [-1, from, -1, from];
    for (;;) {
      const wanted = steps[step];
      if (wanted === 'some') {
        [some, someAt] = [step, at];
        step += 1;
        continue;
      }
      if (wanted === 'folders') {
        [some, folders, foldersAt] = [-1, step, at];
        step += 1;
        continue;
      }
      const character = name.codePointAt(at);
      if (wanted === undefined) {
        if (character === undefined || (covers && character === slash)) return true;
      } else if (character !== undefined && wanted(character)) {
        at += widthOf(character);
        step += 1;
        continue;
      }
      const taken = some === -1 ? undefined : name.codePointAt(someAt);
      if (taken !== undefined && taken !== slash) {
        someAt += widthOf(taken);
        [at, step] = [someAt, some + 1];
        continue;
      }
      const next = folders === -1 ? -1 : name.indexOf('/', foldersAt);
      if (next === -1) return false;
      foldersAt = next + 1;
      [some, at, step] = [-1, foldersAt, folders + 1];
    }
  };
}

const widthOf = (character: number): number => (character > 0xffff ? 2 : 1);

function statesOf(parts: readonly NamePatternPart[]): readonly State[] {
  const states: State[] = [];
  const groups: { readonly open: State; readonly ends: State[] }[] = [];
  for (const part of parts) {
    const at = states.length;
    const state: State = { next: [at + 1] };
    switch (part.kind) {
      case 'text':
        for (const character of part.text) {
          const wanted = character.codePointAt(0);
          states.push({ fits: (each) => each === wanted, next: [states.length + 1] });
        }
        break;
      case 'one':
        states.push({ ...state, fits: inComponent });
        break;
      case 'class':
        states.push({ ...state, fits: fitsClass(part) });
        break;
      case 'some':
      case 'anything': {
        const next = [at + 1, at + 2];
        states.push({ next }, { fits: part.kind === 'some' ? inComponent : anything, next });
        break;
      }
      case 'folders':
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

function machine(states: readonly State[], covers: boolean): (name: string, from: number) => boolean {
  const seen = new Uint32Array(states.length);
  let round = 0;
  let now: number[] = [];
  const waiting: number[] = [];
  const enter = (entered: readonly number[]): void => {
    waiting.push(...entered);
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      if (seen[at] === round) continue;
      seen[at] = round;
      const { fits, next } = states[at]!;
      if (fits === undefined && next.length > 0) waiting.push(...next);
      else now.push(at);
    }
  };
  const begin = (): void => {
    // Reset the marks before the round counter overflows.
    if (round > 0xffff_0000) seen.fill(0);
    round = round > 0xffff_0000 ? 1 : round + 1;
    now = [];
  };
  return (name, from) => {
    begin();
    enter([0]);
    for (let at = from; ;) {
      const character = name.codePointAt(at);
      const isEnd = character === undefined || (covers && character === slash);
      if (isEnd && now.includes(states.length - 1)) return true;
      if (character === undefined || now.length === 0) return false;
      const before = now;
      begin();
      for (const state of before) {
        const { fits, next } = states[state]!;
        if (fits?.(character) === true) enter(next);
      }
      at += widthOf(character);
    }
  };
}
