import type { Fault, Outcome } from '../../protocol/outcome.ts';
import type { ThreadEvent } from '../../protocol/thread-event.ts';
import type { ThreadSubscriber } from '../../thread/parts/subscribers.ts';
import type { ExecArguments } from '../commands/exec-command.ts';
import type { OpenedThread } from '../engine/open-thread.ts';
import { wantsColor } from '../terminal/look.ts';
import { Screen } from '../terminal/screen.ts';
import { jsonOutput } from './json-output.ts';
import { PlainOutput } from './plain-output.ts';

/** Where a run shows itself. Standard output carries the contract, standard error is for people. */
export interface Output {
  start(opened: OpenedThread): void;
  event(event: ThreadEvent): void;
  /** Absent: what is still arriving is not shown, and costs nothing. */
  readonly provisional?: ThreadSubscriber['provisional'];
  notice(outcome: Outcome): void;
  /** The thread is there, and nothing is asked of it. */
  idle?(): void;
  /** The turn ended with the loss of what should keep it: no event of the engine reports that. */
  lost(fault: Fault): void;
  /** A signal ends the turn: what still runs is stopped, and has not failed by itself. */
  interrupted?(): void;
  /** A second signal: the process ends now. */
  endedAtOnce(): void;
  /** The program that ended this one reports that itself, and would take `turn.failed` for another failure. */
  toldToEnd?(): void;
}

export function createOutput(options: ExecArguments['options']): Output {
  const { sdkJson, color = 'auto', contextEvents: context, verbose, ephemeral } = options;
  const json = options.json || sdkJson;
  const stream = process.stderr;
  const live = !json && stream.isTTY && process.env['TERM'] !== 'dumb';
  const screen = new Screen({ stream, color: wantsColor(stream, color), live });
  return json
    ? jsonOutput(screen, { context, verbose })
    : new PlainOutput(screen, { live, verbose, resumable: !ephemeral });
}
