import { resolveEnvelope } from '../envelope/envelope.ts';
import type { BaseInstructions } from '../envelope/instructions.ts';
import { outcomeUnknown } from '../fragments/call-answers.ts';
import { turnAbortedFragment } from '../fragments/turn-aborted.ts';
import { entries } from '../history/history.ts';
import type { TurnId } from '../protocol/ids.ts';
import { type CallItem, isCall } from '../protocol/item.ts';
import { type JsonObject, objectAt, stringAt } from '../protocol/json.ts';
import type { ThreadState } from '../state/thread-state.ts';
import { turnFoundDead, turnStarted } from '../state/turn-drafts.ts';
import type { ThreadLog } from './log.ts';
import type { ThreadParts, Turn, TurnInput } from './parts.ts';
import { recordAnswer, recordFragments } from './record.ts';

/** Resolves the turn's envelope and records that it begins. What a dead process left open is closed first. */
export async function openTurn(parts: ThreadParts, log: ThreadLog, asked: TurnInput): Promise<Turn> {
  const { settings, threadId, signal, input: _, ...modes } = asked;
  const facts = await parts.gatherFacts(settings);
  const base = storedInstructions(log.state.meta);
  const envelope = resolveEnvelope({
    threadId,
    turnId: parts.ids.uuid() as TurnId,
    facts,
    settings,
    instructionsSoFar: base === undefined ? {} : { base },
    tools: parts.router.names,
    modes,
  });
  const { turnId } = envelope.telemetry;
  const turn: Turn = { parts, log, threadId, turnId, envelope, signal, standing: new Map() };
  closeDeadTurn(turn);
  log.record(turnStarted(envelope));
  log.tell({ kind: 'turn-started', turnId });
  return turn;
}

/** The text that the thread was started with: it is fixed for the life of the thread. */
function storedInstructions(meta: JsonObject): BaseInstructions | undefined {
  const base = objectAt(meta, 'base_instructions');
  const text = base === undefined ? undefined : stringAt(base, 'text');
  if (base === undefined || text === undefined) return undefined;
  const provenance = objectAt(base, 'provenance');
  const model = provenance === undefined ? undefined : stringAt(provenance, 'model');
  return { text, provenance: model === undefined ? { type: 'custom' } : { type: 'model', model } };
}

/** A process died in the middle of a turn: calls under way get the only honest answer, and the model is told (I3). */
function closeDeadTurn(turn: Turn): void {
  const { log } = turn;
  const dead = log.state.openTurn;
  if (dead === undefined) return;
  const asDead = { ...turn, turnId: dead.id };
  for (const call of unansweredCalls(log.state)) recordAnswer(asDead, call, outcomeUnknown);
  recordFragments(asDead, turnAbortedFragment, 'process-died');
  log.record(turnFoundDead(dead.id));
}

function unansweredCalls(state: ThreadState): readonly CallItem[] {
  const items = entries(state.history).map(({ item }) => item);
  const answered = new Set(items.filter(({ type }) => type.endsWith('_output')).map((item) => item['call_id']));
  return items.filter(isCall).filter(({ call_id: id }) => !answered.has(id));
}
