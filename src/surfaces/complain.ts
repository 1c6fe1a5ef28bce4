import type { Outcome } from '../protocol/outcome.ts';

/** Says on standard error why nothing comes of it, and what to do. Gives back the exit code. */
export function complain({ message, next }: Pick<Outcome, 'message' | 'next'>, exitCode: number): number {
  process.stderr.write(`capstan: ${message}\n${next === '' ? '' : `         ${next}\n`}`);
  return exitCode;
}
