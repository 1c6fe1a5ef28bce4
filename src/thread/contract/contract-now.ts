import type { BaseInstructions } from '../../envelope/facts.ts';
import type { Envelope } from '../../envelope/envelope.ts';
import { type Window, windowUnder } from '../../envelope/window.ts';
import { instructionsOf } from '../../state/instructions.ts';
import type { ThreadLog } from '../parts/log.ts';
import { namedWindows } from './named-windows.ts';
import type { ThreadParts } from '../parts/parts.ts';

/** An envelope, and the thread in which it holds. */
export interface Contract {
  readonly parts: Pick<ThreadParts, 'router'>;
  readonly log: Pick<ThreadLog, 'state'>;
  readonly envelope: Envelope;
}

/** The budgets under the contract, no wider than what the server has named in this thread so far. */
export function windowNow({ parts, log, envelope }: Contract): Window {
  return windowUnder(envelope, namedWindows(parts, log.state).windows ?? []);
}

/** What requests begin with. Before the first line of a thread that is what the contract says. */
export function instructionsNow({ log, envelope }: Contract): BaseInstructions {
  return instructionsOf(log.state) ?? envelope.instructions.base;
}
