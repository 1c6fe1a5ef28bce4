import { stringOption, functionOption, nonBlankStringOption, validateOptions } from '../core/envelope/read-options.ts';
import type { OptionProblem, OptionType } from '../core/envelope/read-options.ts';
import type { WorkProgress } from '../ports/thread-store.ts';
import type { ThreadId } from '../protocol/ids.ts';
import { Fault } from '../protocol/outcome.ts';

/** Arguments of a call by name. `absent` marks an optional one. */
type GivenArguments = Readonly<Record<string, readonly [OptionType<unknown>, unknown, 'absent'?]>>;

/** Returns why the arguments of a call without an options object are refused. `of`: the call, as in `pin()`. */
export function argumentProblem(of: string, given: GivenArguments): OptionProblem | undefined {
  const known = Object.entries(given).filter(([, [, value, absent]]) => value !== undefined || absent === undefined);
  const values = Object.fromEntries(known.map(([name, [, value]]) => [name, value]));
  const table = Object.fromEntries(known.map(([name, [type]]) => [name, { type, required: true as const }]));
  const read = validateOptions<Record<string, unknown>>(values, table, of);
  // Do not look for `code` alone: an argument may have that name.
  return Object.keys(read).every((name) => Object.hasOwn(table, name)) ? undefined : (read as OptionProblem);
}

/** Throws, for calls whose answer has no place for a refusal and that throw if the thread does not exist. */
export function requireArguments(of: string, given: GivenArguments): void {
  const problem = argumentProblem(of, given);
  if (problem !== undefined) throw new Fault(problem);
}

/** Checks the form only; the store knows whether the thread exists. */
export const threadIdOption = { ...nonBlankStringOption, expected: 'the id of a thread' } as OptionType<ThreadId>;
export const folderPathOption: OptionType<string> = { ...stringOption, expected: 'the path of a folder' };
export const progressFunctionOption = functionOption<WorkProgress>();
