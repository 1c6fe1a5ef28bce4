import type { ThreadId } from '../../protocol/ids.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { Engine } from '../engine/engine.ts';
import type { EngineRefused } from '../engine/engine-refused.ts';
import { lostAsValue } from '../terminal/lost-as-value.ts';
import { complain, print } from '../terminal/print.ts';
import { findThread, type ThreadSearch } from './find-thread.ts';
import { printResult } from './print-result.ts';
import { withPaths } from './thread-lines.ts';

/** What every operation was given, whatever else its command takes. */
export interface OperationArguments {
  readonly thread: string | undefined;
  readonly words: readonly string[];
  readonly options: { readonly json: boolean; readonly all?: boolean };
}

/** One thing that is done to one thread. */
export interface ThreadOperation<Result extends { readonly notices: readonly Outcome[] }> extends Pick<
  ThreadSearch,
  'archived' | 'unique'
> {
  perform(engine: Engine, id: ThreadId): Promise<Result | EngineRefused>;
  /** What was done, in sentences. */
  text(result: Result): string;
  /** Whether all of it could be done. Without it, what was not refused was. */
  isWhole?(result: Result): boolean;
}

/** Finds the thread, does it and reports. 0: done; 1: refused, or a part of it failed. */
export async function operateOnThread<Result extends { readonly notices: readonly Outcome[] }>(
  { thread, options: { json, all = false } }: OperationArguments,
  { text, isWhole = () => true, perform, ...search }: ThreadOperation<Result>,
): Promise<number | Outcome> {
  const done = await lostAsValue(async () => {
    const found = await findThread({ ...search, thread, anywhere: all });
    return 'code' in found ? found : perform(found.engine, found.id);
  });
  if ('code' in done) return refuseOperation(done, { json });
  if ('outcome' in done) return refuseOperation(done.outcome, { json });
  printResult(withPaths(done), { json }, () => `${text(done)}\n`);
  if (!json) for (const notice of done.notices) complain(notice, 0);
  return isWhole(done) ? 0 : 1;
}

/** A refusal is what a program asked for, too: it gets it as JSON on standard output. */
export function refuseOperation(outcome: Outcome, { json }: { readonly json: boolean }): number | Outcome {
  if (!json) return outcome;
  const { code, message, next } = outcome;
  print(`${JSON.stringify({ kind: 'refused', code, message, next })}\n`, 'json');
  return 1;
}
