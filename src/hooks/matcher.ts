import type { Pattern } from '../base/pattern.ts';

/** Longer names than any tool has. */
const longestSubject = 256;

/** The regular expressions among matchers, and why others cannot be used, by their text. */
export interface ReadMatchers {
  readonly patterns: ReadonlyMap<string, Pattern>;
  readonly problems: ReadonlyMap<string, string>;
}

/** Reads those matchers that are regular expressions. The engine for them is loaded only if there are any. */
export async function readMatchers(matchers: readonly (string | undefined)[]): Promise<ReadMatchers> {
  const patterns = new Map<string, Pattern>();
  const problems = new Map<string, string>();
  const texts = matchers.filter((matcher) => matcher !== undefined).filter(isPattern);
  if (texts.length === 0) return { patterns, problems };
  const { readPattern } = await import('../base/pattern.ts');
  for (const text of texts) {
    const read = readPattern(text);
    if ('problem' in read) problems.set(text, read.problem);
    else patterns.set(text, read);
  }
  return { patterns, problems };
}

/** Tells a matcher that is a regular expression. Any other one lists names, or means everything. */
export function isPattern(matcher: string): boolean {
  return !isEverything(matcher) && !/^[A-Za-z0-9_|]+$/.test(matcher);
}

/** Whether a hook with this matcher is for one of the subjects. A hook of an event without subjects is for all. */
export function matches(
  matcher: string | undefined,
  subjects: readonly string[] | undefined,
  patterns: ReadMatchers['patterns'],
): boolean {
  if (matcher === undefined || subjects === undefined || isEverything(matcher)) return true;
  const names = matcher.split('|');
  const pattern = patterns.get(matcher);
  return subjects.some((subject) =>
    pattern === undefined ? names.includes(subject) : subject.length <= longestSubject && pattern.matches(subject),
  );
}

function isEverything(matcher: string): boolean {
  return matcher === '' || matcher === '*';
}
