import { defined } from '../../../base/objects.ts';
import { type Envelope, resolveAgentBounds, resolveEnvelope } from '../../../core/envelope/envelope.ts';
import type { TurnFacts } from '../../../core/envelope/facts.ts';
import { effortFor, effortNote } from '../../../core/envelope/identity.ts';
import { lookUpModel } from '../../../core/envelope/model-record.ts';
import type { TurnSettings } from '../../../core/envelope/settings.ts';
import { agentsElsewhereFragment } from '../../../core/fragments/events/agents.ts';
import { currentProvider } from '../../../core/state/current-provider.ts';
import { type ModelSwitch, envelopeForLine, turnStartedLine } from '../../../core/state/drafts/turn-lines.ts';
import { agentLine } from '../../../core/state/fold/agents.ts';
import type { ThreadState } from '../../../core/state/thread-state.ts';
import type { TurnId } from '../../../protocol/ids.ts';
import { equalJson, type JsonObject, objectAt, stringAt, valueAt } from '../../../protocol/json.ts';
import { isSameProvider, providerName } from '../../../protocol/provider-name.ts';
import type { FieldChange } from '../../../protocol/thread-event.ts';
import { factsForTurn, pastFacts } from '../context/turn-contract.ts';
import { type ThreadLog, warnOnce } from '../log.ts';
import { recordEvent } from '../record/record-context.ts';
import { requestHeaders } from '../request/model-request.ts';
import type { ThreadParts, Turn, TurnInput } from '../thread-parts.ts';
import { TurnEffects } from '../turn-effects.ts';
import { newTurnState } from '../turn-memory.ts';
import { closeDeadTurn } from './cut-off-turn.ts';
import { endStaleSessions } from './turn-sessions.ts';

/** Resolves the turn's envelope. Records nothing yet: the turn may still fail to begin. */
export async function prepareTurn(parts: ThreadParts, log: ThreadLog, asked: TurnInput): Promise<Turn> {
  const { settings, ...own } = asked;
  const { warned } = own;
  await parts.beforeTurn?.(settings, {
    signal: own.signal,
    warn: (outcome) => void warnOnce({ log, warned }, outcome, 'message'),
  });
  const { time, ...gathered } = await parts.gatherFacts(settings);
  const { id, startedAt } = own.continues?.openTurn ?? {};
  const turnId = id ?? (parts.ids.uuid() as TurnId);
  const thread = { id: own.threadId, turnId, ...pastFacts(parts, log.state) };
  // A continued turn keeps its start time.
  const begun = startedAt === undefined ? time : { ...time, epochMs: startedAt * 1000 };
  const facts = factsForTurn(parts, { ...gathered, time: begun }, thread);
  const envelope = resolveEnvelope(facts, settings);
  if (own.words !== undefined)
    parts.provider.client.prewarm?.({ headers: requestHeaders(own.threadId, envelope.identity.client) });
  const stopping = new AbortController();
  const signal = AbortSignal.any([own.signal, stopping.signal]);
  const stop = (): void => stopping.abort('stopped by the user');
  const effects = new TurnEffects({ parts, log, turnId, envelope, signal, warned });
  const contract = { envelope, ...before(parts, log.state, { facts, settings }) };
  return { ...own, ...contract, parts, log, turnId, signal, effects, stop, memory: newTurnState() };
}

/** Records the beginning, after closing what a dead process left open. From here on the turn can be steered. */
export async function beginTurn(turn: Turn): Promise<void> {
  const { log, turnId, envelope, inbox, words, continues } = turn;
  if (continues !== undefined) {
    const { continueSuspendedTurn } = await import('./suspended-turn.ts');
    return continueSuspendedTurn(turn, continues);
  }
  if (words !== undefined) inbox.begin(words);
  // Ending what a dead process left running may take seconds: store the words first.
  if (words !== undefined && (log.state.openTurn?.calls ?? []).length > 0) await log.durable();
  await closeDeadTurn(turn);
  const switched = modelSwitch(turn);
  const start = (): void => {
    log.record(turnStartedLine(envelope, words === undefined ? 'compaction' : 'work', switched));
    log.tell({ kind: 'turn-started', turnId, usage: log.state.usage.total });
  };
  if (turn.begin === undefined) start();
  else await turn.begin(start);
  tellSwitch(turn, switched);
  await endStaleSessions(turn);
  await beginAgents(turn);
  turn.memory.phase = 'open';
}

/** The envelope that the previous turn's model would have now, if this turn has another model or provider. */
function before(
  { catalogueOf }: Pick<ThreadParts, 'catalogueOf'>,
  state: ThreadState,
  { facts, settings }: { readonly facts: TurnFacts; readonly settings: TurnSettings },
): { readonly before?: Envelope } {
  const model = stringAt(state.context, 'model');
  const now = providerName(settings.provider, facts.provider ?? {});
  const then = currentProvider(state) ?? now;
  const isElsewhere = !isSameProvider(then, now);
  if (model === undefined || (model === settings.model && !isElsewhere)) return {};
  const { effort: given, ...rest } = settings;
  const chosen = { model: settings.model, effort: given };
  const catalogue = (isElsewhere ? catalogueOf?.(then) : undefined) ?? facts.catalogue;
  const effort = effortFor(lookUpModel(catalogue, model), chosen);
  const there = isElsewhere ? then : now;
  // Only the name of another provider is known here.
  const provider = isElsewhere ? { address: then.address, wire: then.wire } : facts.provider;
  const known = { ...rest, model, provider: there.id, ...defined({ effort }) };
  return { before: resolveEnvelope({ ...facts, catalogue, provider }, known) };
}

/** Narrows agents to the turn's limits. One text names agents of another thread to the model; here they are closed. */
async function beginAgents(turn: Turn): Promise<void> {
  const { log, threadId, parts, envelope } = turn;
  const others = log.state.agents.filter(({ parentId, state }) => parentId !== threadId && state !== 'closed');
  const paths = others.filter(({ id }) => id !== threadId).map(({ path }) => path);
  if (paths.length > 0) recordEvent(turn, agentsElsewhereFragment, { paths });
  for (const { id } of others) log.record(agentLine({ kind: 'closed', id }));
  await parts.agents?.narrow(resolveAgentBounds(envelope));
}

const fields = [
  'identity.effort',
  'identity.summary',
  'identity.verbosity',
  'identity.serviceTier',
  'identity.model.supportedEfforts',
  'capabilities.tools',
  'capabilities.modalities',
  'capabilities.imageGeneration',
  'capabilities.webSearch',
  'modes.collaboration',
  'window',
] as const;

/** Changes that came with another model; undefined if the previous turn had the same one. */
function modelSwitch({ log, envelope }: Pick<Turn, 'log' | 'envelope'>): ModelSwitch | undefined {
  const { context, envelope: before } = log.state;
  const from = stringAt(context, 'model');
  const to = envelope.identity.model.slug;
  if (from === undefined || from === to) return undefined;
  const changes = before === undefined ? [] : changesBetween(before, envelopeForLine(envelope));
  return { from, to, changes };
}

/** Sends one event, after the line that records the switch. */
function tellSwitch({ log, turnId, envelope }: Turn, switched: ModelSwitch | undefined): void {
  const { context, envelope: before } = log.state;
  const from = stringAt(context, 'model');
  const to = envelope.identity.model.slug;
  if (switched !== undefined) log.tell({ kind: 'model-switched', turnId, ...switched });
  const had = defined({ effort: stringAt(objectAt(objectAt(before, 'identity'), 'chosen'), 'effort') });
  const note = from && effortNote(envelope.identity.model, { model: from, ...had }, envelope.identity.chosen.effort);
  if (note) log.tell({ kind: 'warning', outcome: note });
  const { asked, mode } = envelope.modes.collaboration;
  if (asked !== undefined && (from !== to || asked !== valueAt(before, ['modes', 'collaboration', 'asked']))) {
    const message = `The model ${to} does not support ${asked} mode; the turn runs in ${mode} mode.`;
    const next = `Choose a model that supports it, or leave ${asked} mode.`;
    log.tell({ kind: 'warning', outcome: { code: 'mode-unsupported', message, next } });
  }
}

function changesBetween(before: JsonObject, now: JsonObject): readonly FieldChange[] {
  return fields.flatMap((field) => {
    const [from, to] = [valueAt(before, field.split('.')), valueAt(now, field.split('.'))];
    return equalJson(from, to) ? [] : [{ field, ...defined({ from, to }) }];
  });
}
