import { resolveEnvelope } from '../envelope/envelope.ts';
import type { TurnId } from '../protocol/ids.ts';
import { instructionsOf } from '../state/instructions.ts';
import { turnStarted } from '../state/turn-drafts.ts';
import { closeDeadTurn } from './dead-turn.ts';
import type { ThreadLog } from './log.ts';
import { tellSwitch } from './model-switch.ts';
import type { ThreadParts, Turn, TurnInput } from './parts.ts';

/** Resolves the turn's envelope and records that it begins. What a dead process left open is closed first. */
export async function openTurn(parts: ThreadParts, log: ThreadLog, asked: TurnInput): Promise<Turn> {
  const { settings, threadId, signal, inbox, warned, onEnding } = asked;
  const facts = await parts.gatherFacts(settings);
  const base = instructionsOf(log.state);
  const thread = { id: threadId, turnId: parts.ids.uuid() as TurnId, ...(base === undefined ? {} : { base }) };
  const envelope = resolveEnvelope({ ...facts, thread, tools: parts.router.names }, settings);
  const { turnId } = envelope.telemetry;
  const turn: Turn = { parts, log, threadId, turnId, envelope, signal, inbox, warned, standing: new Map(), onEnding };
  await closeDeadTurn(turn);
  log.record(turnStarted(envelope));
  log.tell({ kind: 'turn-started', turnId });
  tellSwitch(turn);
  // What was injected before the turn stands before its words, and what arrives from here on after them.
  inbox.put({ kind: 'words', input: asked.input });
  asked.onOpened(turnId);
  return turn;
}
