import { resolveEnvelope } from '../envelope/envelope.ts';
import { outcomeUnknown } from '../fragments/call-answers.ts';
import { type AbortCause, turnAbortedFragment } from '../fragments/turn-aborted.ts';
import { entries } from '../history/history.ts';
import type { TurnId } from '../protocol/ids.ts';
import { type CallItem, isCall } from '../protocol/item.ts';
import { instructionsOf } from '../state/instructions.ts';
import type { ThreadState } from '../state/thread-state.ts';
import { turnLeftOpen, turnStarted } from '../state/turn-drafts.ts';
import type { ThreadLog } from './log.ts';
import { tellSwitch } from './model-switch.ts';
import type { ThreadParts, Turn, TurnInput } from './parts.ts';
import { recordAnswer } from './record.ts';
import { recordEvent } from './record-context.ts';

/** Resolves the turn's envelope and records that it begins. What a dead process left open is closed first. */
export async function openTurn(parts: ThreadParts, log: ThreadLog, asked: TurnInput): Promise<Turn> {
  const { settings, threadId, signal, inbox, warned, onEnding } = asked;
  const facts = await parts.gatherFacts(settings);
  const base = instructionsOf(log.state);
  const thread = { id: threadId, turnId: parts.ids.uuid() as TurnId, ...(base === undefined ? {} : { base }) };
  const envelope = resolveEnvelope({ ...facts, thread, tools: parts.router.names }, settings);
  const { turnId } = envelope.telemetry;
  const turn: Turn = { parts, log, threadId, turnId, envelope, signal, inbox, warned, standing: new Map(), onEnding };
  closeOpenTurn(turn, 'process-died');
  log.record(turnStarted(envelope));
  log.tell({ kind: 'turn-started', turnId });
  tellSwitch(turn);
  // What was injected before the turn stands before its words, and what arrives from here on after them.
  inbox.put({ kind: 'words', input: asked.input });
  asked.onOpened(turnId);
  return turn;
}

/** A turn that nobody goes on with: calls under way get the only honest answer, and the model is told (I3). */
export function closeOpenTurn(turn: Turn, cause: Exclude<AbortCause, 'interrupted'>): void {
  const { log } = turn;
  const open = log.state.openTurn;
  if (open === undefined) return;
  const asOpen = { ...turn, turnId: open.id };
  for (const call of unansweredCalls(log.state)) recordAnswer(asOpen, call, { output: outcomeUnknown });
  recordEvent(asOpen, turnAbortedFragment, cause);
  log.record(turnLeftOpen(open.id, cause));
}

function unansweredCalls(state: ThreadState): readonly CallItem[] {
  const items = entries(state.history).map(({ item }) => item);
  const answered = new Set(items.filter(({ type }) => type.endsWith('_output')).map((item) => item['call_id']));
  return items.filter(isCall).filter(({ call_id: id }) => !answered.has(id));
}
