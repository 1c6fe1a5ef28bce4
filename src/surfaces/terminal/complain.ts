import type { Outcome } from '../../protocol/outcome.ts';
import { printNote } from './print.ts';

/** Says on standard error why nothing comes of it, and what to do. Gives back the exit code. */
export function complain({ message, next }: Pick<Outcome, 'message' | 'next'>, exitCode: number): number {
  printNote(`capstan: ${message}${next === '' ? '' : `\n         ${next}`}`);
  return exitCode;
}
