import type { Outcome } from './outcome.ts';

/** The oldest that has all of the language and the library that the code uses; `engines` of package.json says the same. */
const oldest = [22, 19] as const;

/** Why this Node cannot run the engine, if so. */
export function nodeVersionProblem(running: string): Outcome<'node-too-old'> | undefined {
  const [major = 0, minor = 0] = running.split('.').map(Number);
  if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return undefined;
  return {
    code: 'node-too-old',
    message: `Node ${running} is too old.`,
    next: `Run it with Node ${oldest.join('.')} or newer: https://nodejs.org`,
  };
}

/** The version of the package; a test holds it against package.json. */
export const version = '0.1.0';
