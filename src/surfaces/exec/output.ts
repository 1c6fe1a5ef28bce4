import type { Fault, Outcome } from '../../protocol/outcome.ts';
import type { ThreadEvent } from '../../protocol/thread-event.ts';
import type { ThreadSubscriber } from '../../thread/parts/subscribers.ts';
import type { OpenedThread } from '../engine/open-thread.ts';
import { type ColorChoice, wantsColor } from '../terminal/look.ts';
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
  idle(): void;
  /** The turn ended with the loss of what should keep it: no event of the engine reports that. */
  lost(fault: Fault): void;
  /** A signal ends the turn: what still runs is stopped, and has not failed by itself. */
  interrupted(): void;
  /** The program that ended this one reports that itself, and would take `turn.failed` for another failure. */
  toldToEnd(): void;
}

export interface OutputOptions {
  readonly json: boolean;
  readonly color: ColorChoice;
  /** Print events about what the model is told among the others. */
  readonly contextEvents: boolean;
  /** Say what the model is told and what it costs, and show outputs whole. */
  readonly verbose: boolean;
  /** Whether the thread is there when the process has ended. */
  readonly resumable: boolean;
}

export function createOutput({ json, color, contextEvents, verbose, resumable }: OutputOptions): Output {
  const stream = process.stderr;
  const live = !json && stream.isTTY && process.env['TERM'] !== 'dumb';
  const screen = new Screen({ stream, color: wantsColor(stream, color), live });
  return json
    ? jsonOutput(screen, { context: contextEvents, verbose })
    : new PlainOutput(screen, { live, verbose, resumable });
}
