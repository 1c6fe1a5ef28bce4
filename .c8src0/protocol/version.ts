import type { Outcome } from './outcome.ts';

/** The oldest version with everything that the code uses; must equal `engines` of package.json. */
const oldest = [22, 19] as const;

export function nodeVersionProblem(running: string): Outcome<'node-too-old'> | undefined {
  const [major = 0, minor = 0] = running.split('.').map(Number);
  if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return undefined;
  return {
    code: 'node-too-old',
    message: `Node ${running} is too old.`,
    next: `Run it with Node ${oldest.join('.')} or newer: https://nodejs.org`,
  };
}

/** A test compares it with package.json. */
export const version = '0.1.0';
