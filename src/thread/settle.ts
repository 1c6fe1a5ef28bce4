import { turnAbortedFragment } from '../fragments/turn-aborted.ts';
import type { Outcome } from '../protocol/outcome.ts';
import { turnAborted, turnComplete } from '../state/turn-drafts.ts';
import { drainInbox } from './drain-inbox.ts';
import type { Turn } from './parts.ts';
import { recordEvent } from './record-context.ts';
import type { StepAnswer } from './sample.ts';

/** How a turn ended. */
export type TurnResult =
  | { readonly kind: 'completed'; readonly lastMessage?: string }
  | { readonly kind: 'aborted'; readonly lastMessage?: string }
  | { readonly kind: 'failed'; readonly outcome: Outcome; readonly lastMessage?: string };

/** The one way to end a turn: its end is recorded, durable, and only then told. */
export async function settle(
  turn: Turn,
  answer: Exclude<StepAnswer, { kind: 'go-on' }>,
  lastMessage: string | undefined,
): Promise<TurnResult> {
  const { log, parts, turnId, envelope } = turn;
  // What arrived too late for this turn is not lost: the next request has it.
  drainInbox(turn);
  turn.onEnding();
  await turn.effects.after();
  for (const item of turn.standing.values()) log.tell({ kind: 'item-completed', item });
  const said = lastMessage === undefined ? {} : { lastMessage };
  const end = { envelope, endedAt: parts.clock.now(), ...said };
  switch (answer.kind) {
    case 'done':
      log.record(turnComplete(end));
      log.tell({ kind: 'turn-completed', turnId, usage: log.state.usage.total, ...said });
      await log.durable();
      return { kind: 'completed', ...said };
    case 'aborted':
      recordEvent(turn, turnAbortedFragment, 'interrupted');
      log.record(turnAborted(end));
      log.tell({ kind: 'turn-aborted', turnId });
      await log.durable();
      return { kind: 'aborted', ...said };
    case 'failed':
      log.record(turnComplete(end, answer.failure));
      log.tell({ kind: 'turn-failed', turnId, outcome: answer.failure, ...said });
      await log.durable();
      return { kind: 'failed', outcome: answer.failure, ...said };
  }
}
