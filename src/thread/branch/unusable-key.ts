import type { Outcome } from '../../protocol/outcome.ts';

/** What the user should know when the key of the seals cannot be used. `problem`: as `Seals` says it. */
export function unusableKey(problem: string): Outcome<'seal-key-unusable'> {
  return {
    code: 'seal-key-unusable',
    message: `Capstan cannot verify which threads in this home folder it wrote: ${problem}.`,
    next:
      'Until you fix the key, Capstan trusts no thread: it ignores their permissions, pinned notes and waiting messages. ' +
      'If the key is lost, delete the file and Capstan makes a new one. The new key does not cover older threads: ' +
      'grant their permissions again; their notes and waiting messages stay ignored.',
  };
}

/** Why no note is pinned without a key: no turn would tell it. */
export function notPinnedWithoutKey(problem: string): Outcome<'seal-key-unusable'> {
  const { code, next } = unusableKey(problem);
  return { code, message: `The pinned notes cannot be changed: ${problem}.`, next };
}
