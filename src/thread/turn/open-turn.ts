import { effortFor } from '../../envelope/effort.ts';
import { type Envelope, resolveEnvelope } from '../../envelope/envelope.ts';
import type { TurnFacts } from '../../envelope/facts.ts';
import { lookUpModel } from '../../envelope/model-record.ts';
import type { TurnSettings } from '../../envelope/settings.ts';
import { defined } from '../../protocol/defined.ts';
import type { TurnId } from '../../protocol/ids.ts';
import { stringAt } from '../../protocol/json.ts';
import { isSameProvider, providerName } from '../../protocol/provider-name.ts';
import { makerNow } from '../../state/maker-now.ts';
import type { OpenTurn, ThreadState } from '../../state/thread-state.ts';
import { turnStarted } from '../../state/turn-drafts.ts';
import { beginAgents } from './begin-agents.ts';
import { beginSessions } from './begin-sessions.ts';
import { closeDeadTurn } from './dead-turn.ts';
import type { ThreadLog } from '../parts/log.ts';
import { modelSwitch, tellSwitch } from './model-switch.ts';
import { requestHeaders } from '../request/request-options.ts';
import { pastFacts, factsForTurn } from '../contract/contract-now.ts';
import type { ThreadParts, Turn, TurnInput } from '../parts/parts.ts';
import { TurnEffects } from '../parts/turn-effects.ts';
import { newMemory } from '../parts/turn-memory.ts';
import { warnOnce } from '../parts/warn-once.ts';

/** Resolves the turn's envelope. Nothing is recorded yet: it may still come to nothing. */
export async function prepareTurn(parts: ThreadParts, log: ThreadLog, asked: TurnInput): Promise<Turn> {
  const { settings, ...own } = asked;
  const { signal: outer, warned: known } = own;
  await parts.beforeTurn?.(settings, {
    signal: outer,
    warn: (outcome) => void warnOnce({ log, warned: known }, outcome, 'message'),
  });
  const gathered = await parts.gatherFacts(settings);
  const suspended = own.continues?.openTurn;
  const turnId = suspended?.id ?? (parts.ids.uuid() as TurnId);
  const thread = { id: own.threadId, turnId, ...pastFacts(parts, log.state) };
  const facts = factsForTurn(parts, { ...gathered, ...begunAt(gathered, suspended) }, thread);
  const envelope = resolveEnvelope(facts, settings);
  if (own.words !== undefined)
    parts.provider.client.prewarm?.({ headers: requestHeaders(own.threadId, envelope.identity.client) });
  const { clock, snapshots, gitGuard } = parts;
  const { warned } = own;
  const stopping = new AbortController();
  const signal = AbortSignal.any([own.signal, stopping.signal]);
  const stop = (): void => stopping.abort('stopped by the user');
  const effects = new TurnEffects({ snapshots, gitGuard, clock, log, turnId, envelope, signal, warned });
  const contract = { envelope, ...before(parts, log.state, { facts, settings }) };
  return { ...own, ...contract, parts, log, turnId, signal, effects, stop, memory: newMemory() };
}

/** A turn that is continued began when it began. */
function begunAt({ time }: Pick<TurnFacts, 'time'>, suspended: OpenTurn | undefined): Partial<Pick<TurnFacts, 'time'>> {
  if (suspended?.startedAt === undefined) return {};
  return { time: { ...time, epochMs: suspended.startedAt * 1000 } };
}

/** Records that it begins. What a dead process left open is closed first. From here on it can be steered. */
export async function beginTurn(turn: Turn): Promise<void> {
  const { log, turnId, envelope, inbox, words, continues } = turn;
  if (continues !== undefined) {
    const { takeUp } = await import('./suspended-turn.ts');
    return takeUp(turn, continues);
  }
  if (words !== undefined) inbox.begin(words);
  // Ending what a dead process left running may take seconds: the words are safe before.
  if (words !== undefined && (log.state.openTurn?.calls ?? []).length > 0) await log.durable();
  await closeDeadTurn(turn);
  const switched = modelSwitch(turn);
  const start = (): void => {
    log.record(turnStarted(envelope, words === undefined ? 'compaction' : 'work', switched));
    log.tell({ kind: 'turn-started', turnId, usage: log.state.usage.total });
  };
  if (turn.begin === undefined) start();
  else await turn.begin(start);
  tellSwitch(turn, switched);
  await beginSessions(turn);
  await beginAgents(turn);
  turn.memory.phase = 'open';
}

/** What the model of the turn before would run under now, if it or its provider is not the one of this turn. */
function before(
  { catalogueOf }: Pick<ThreadParts, 'catalogueOf'>,
  state: ThreadState,
  { facts, settings }: { readonly facts: TurnFacts; readonly settings: TurnSettings },
): { readonly before?: Envelope } {
  const model = stringAt(state.context, 'model');
  const now = providerName(settings.provider, facts.provider ?? {});
  const then = makerNow(state) ?? now;
  const isElsewhere = !isSameProvider(then, now);
  if (model === undefined || (model === settings.model && !isElsewhere)) return {};
  const { effort: given, ...rest } = settings;
  const chosen = { model: settings.model, ...defined({ effort: given }) };
  const catalogue = (isElsewhere ? catalogueOf?.(then) : undefined) ?? facts.catalogue;
  const effort = effortFor(lookUpModel(catalogue, model), chosen);
  const there = isElsewhere ? then : now;
  // Of a provider elsewhere only its name is known here.
  const provider = isElsewhere ? defined({ address: then.address, wire: then.wire }) : facts.provider;
  const known = { ...rest, model, provider: there.id, ...defined({ effort }) };
  const { provider: _now, ...others } = facts;
  return { before: resolveEnvelope({ ...others, catalogue, ...defined({ provider }) }, known) };
}
