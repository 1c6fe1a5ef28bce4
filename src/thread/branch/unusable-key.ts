import type { Outcome } from '../../protocol/outcome.ts';

/** What the user should know when the key of the seals cannot be used. `problem`: as `Seals` says it. */
export function unusableKey(problem: string): Outcome<'seal-key-unusable'> {
  return {
    code: 'seal-key-unusable',
    message: `Capstan cannot prove which threads of this home it wrote: ${problem}.`,
    next:
      'Until that is mended, every thread counts as foreign, and its pinned notes and waiting messages are left out. ' +
      'If the key is lost, remove the file and a new one is made; but no key proves the threads of before then: ' +
      'what they were granted must be given again, and their notes and waiting messages are set aside for good.',
  };
}

/** Why no note is pinned without a key: no turn would tell it. */
export function notPinnedWithoutKey(problem: string): Outcome<'seal-key-unusable'> {
  const { code, next } = unusableKey(problem);
  return { code, message: `The pinned notes of a thread cannot be changed: ${problem}.`, next };
}
