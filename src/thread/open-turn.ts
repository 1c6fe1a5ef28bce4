import { effortFor } from '../envelope/effort-for.ts';
import { type Envelope, resolveEnvelope } from '../envelope/envelope.ts';
import type { TurnFacts } from '../envelope/facts.ts';
import { lookUpModel } from '../envelope/model-record.ts';
import type { TurnSettings } from '../envelope/settings.ts';
import type { TurnId } from '../protocol/ids.ts';
import { stringAt } from '../protocol/json.ts';
import { instructionsOf } from '../state/instructions.ts';
import type { ThreadState } from '../state/thread-state.ts';
import { turnStarted } from '../state/turn-drafts.ts';
import { closeDeadTurn } from './dead-turn.ts';
import type { ThreadLog } from './log.ts';
import { tellSwitch } from './model-switch.ts';
import type { ThreadParts, Turn, TurnInput } from './parts.ts';
import { TurnEffects } from './turn-effects.ts';

/** Resolves the turn's envelope. Nothing is recorded yet: it may still come to nothing. */
export async function prepareTurn(parts: ThreadParts, log: ThreadLog, asked: TurnInput): Promise<Turn> {
  const { settings, threadId, signal, inbox, warned } = asked;
  const { onEnding, isOutdated } = asked;
  const gathered = await parts.gatherFacts(settings);
  const thread = { id: threadId, turnId: parts.ids.uuid() as TurnId };
  const known = { ...gathered, thread, tools: parts.router.tools };
  const facts = withBase(known, log.state);
  const envelope = resolveEnvelope(facts, settings);
  const { turnId } = envelope.telemetry;
  const { clock, snapshots, gitGuard } = parts;
  const effects = new TurnEffects({ snapshots, gitGuard, clock, log, turnId, envelope, signal, warned });
  const hooks = { isOutdated, onEnding };
  const own = { threadId, turnId, envelope, signal, inbox, warned, ...hooks, ...before(log.state, facts, settings) };
  let { base } = facts.thread;
  const renew = (): void => {
    const now = withBase(known, log.state);
    // A thread without a past has nothing that could be replaced.
    if (base === undefined || base.text === now.thread.base?.text) return;
    turn.envelope = resolveEnvelope(now, settings);
    base = now.thread.base;
  };
  const seen = { standing: new Map(), overflow: { step: undefined }, outage: { seen: false } };
  const turn: Turn = { parts, log, ...own, ...seen, effects, renew };
  return turn;
}

/** Records that it begins. What a dead process left open is closed first. */
export async function beginTurn(turn: Turn, { input, onOpened }: Pick<TurnInput, 'input' | 'onOpened'>): Promise<void> {
  const { log, turnId, envelope, inbox } = turn;
  await closeDeadTurn(turn);
  log.record(turnStarted(envelope));
  log.tell({ kind: 'turn-started', turnId });
  tellSwitch(turn);
  // What was injected before the turn stands before its words, and what arrives from here on after them.
  if (input !== undefined) inbox.put({ kind: 'words', input });
  onOpened(turnId, envelope);
}

function withBase(facts: TurnFacts, state: ThreadState): TurnFacts {
  const base = instructionsOf(state);
  return base === undefined ? facts : { ...facts, thread: { ...facts.thread, base } };
}

/** What the model of the turn before would run under now, if it is not the one of this turn. */
function before(state: ThreadState, facts: TurnFacts, settings: TurnSettings): { readonly before?: Envelope } {
  const model = state.context === undefined ? undefined : stringAt(state.context, 'model');
  if (model === undefined || model === settings.model) return {};
  const { effort: given, ...rest } = settings;
  const now = { model: settings.model, ...(given === undefined ? {} : { effort: given }) };
  const effort = effortFor(lookUpModel(facts.catalogue, model), now);
  return { before: resolveEnvelope(facts, { ...rest, model, ...(effort === undefined ? {} : { effort }) }) };
}
