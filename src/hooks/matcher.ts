import { isSafePattern } from '../envelope/safe-pattern.ts';

/** Longer names than any tool has. */
const longestSubject = 256;

/** Why a matcher cannot be used; undefined when it can. */
export function matcherProblem(matcher: string): string | undefined {
  if (isEverything(matcher) || isList(matcher)) return undefined;
  return isSafePattern(matcher, 'x'.repeat(longestSubject))
    ? undefined
    : 'is no regular expression that can be tried in a short time';
}

/** Whether a hook with this matcher is for one of the subjects. A hook of an event without subjects is for all. */
export function matches(matcher: string | undefined, subjects: readonly string[] | undefined): boolean {
  if (matcher === undefined || subjects === undefined || isEverything(matcher)) return true;
  if (isList(matcher)) {
    const names = matcher.split('|');
    return subjects.some((subject) => names.includes(subject));
  }
  const pattern = new RegExp(matcher, 'u');
  return subjects.some((subject) => subject.length <= longestSubject && pattern.test(subject));
}

function isEverything(matcher: string): boolean {
  return matcher === '' || matcher === '*';
}

/** Names beside each other, each meant exactly. */
function isList(matcher: string): boolean {
  return /^[A-Za-z0-9_|]+$/.test(matcher);
}
