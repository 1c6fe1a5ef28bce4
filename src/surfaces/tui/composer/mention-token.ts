import type { Draft } from './draft.ts';

/** A word of the draft that may become a mention: `@` and letters of a path, `$` and letters of a skill's name. */
export interface MentionToken {
  readonly sign: '@' | '$';
  /** Behind the sign. */
  readonly typed: string;
  readonly start: number;
  readonly end: number;
  /** How many words before it are the same. */
  readonly before: number;
}

/** No path that a user types is longer, and no key waits for more to be looked at. */
const longest = 1000;

/**
 * The word at the cursor, if it begins with a sign. An `@` inside a word, as in a mail address, begins nothing; a `$`
 * before a digit, a brace or another sign is the shell's.
 */
export function mentionAt({ text, cursor, elements }: Draft): MentionToken | undefined {
  const floor = Math.max(0, ...elements.filter(({ end }) => end <= cursor).map(({ end }) => end));
  const ceiling = Math.min(text.length, ...elements.filter(({ start }) => start >= cursor).map(({ start }) => start));
  let [start, end] = [cursor, cursor];
  while (start > floor && cursor - start < longest && !/\s/.test(text[start - 1] ?? '')) start--;
  while (end < ceiling && end - cursor < longest && !/\s/.test(text[end] ?? '')) end++;
  const sign = text[start];
  if (cursor === start || (sign !== '@' && sign !== '$')) return undefined;
  const word = text.slice(start, end);
  const typed = word.slice(1);
  if (sign === '$' && !/^(?:[A-Za-z][\w:-]*)?$/.test(typed)) return undefined;
  const before = text
    .slice(0, start)
    .split(/\s+/)
    .filter((each) => each === word).length;
  return { sign, typed, start, end, before };
}

/** Whether two tokens are one that the user still looks at: only what stands before it may have changed. */
export function isSameToken(one: MentionToken, other: MentionToken): boolean {
  return one.sign === other.sign && one.typed === other.typed && one.before === other.before;
}
