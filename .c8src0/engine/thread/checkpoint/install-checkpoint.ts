import type { Candidate } from '../../../core/compaction/candidates/candidate.ts';
import type { CompactionPlan } from '../../../core/compaction/plan/compaction-plan.ts';
import type { Step } from '../../../core/envelope/envelope.ts';
import { type HistoryEntry, entryMetadata } from '../../../core/history/entry.ts';
import { historyEntries as entriesOf, mergeFragments } from '../../../core/history/history.ts';
import { requestTokens } from '../../../core/history/window-usage.ts';
import type { CheckpointReport } from '../../../protocol/thread-event.ts';
import { defined } from '../../../base/objects.ts';
import type { Item } from '../../../protocol/item.ts';
import { stringAt } from '../../../protocol/json.ts';
import { lineType } from '../../../protocol/line.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { noUsage } from '../../../protocol/usage.ts';
import { compactedLines } from '../../../core/state/checkpoints/compacted-line.ts';
import { storedItemLine, withContextFacts } from '../../../core/state/drafts/item-lines.ts';
import { tokenCountLine } from '../../../core/state/drafts/turn-lines.ts';
import { buildFullUpdate, type WorldUpdate } from '../../../core/world/tell-world.ts';
import { worldSections } from '../../../core/world/catalog.ts';
import { nextRequestTokens, fullContextTokens } from '../context/token-estimates.ts';
import type { CompactionRequests } from './compaction-requests.ts';
import { instructionsNow, contextWindowNow } from '../context/turn-contract.ts';
import type { Turn } from '../thread-parts.ts';
import { runsUnderThreadSettings, recordSettings, reportContextEvents } from '../record/record-context.ts';

export interface CheckpointToInstall {
  readonly id: string;
  readonly plan: CompactionPlan;
  readonly candidate: Candidate;
  readonly requests: Pick<CompactionRequests, 'usage' | 'count' | 'uncounted'>;
  readonly startedAt: number;
  readonly why?: Outcome;
}

export function installCheckpoint(turn: Turn, step: Step, what: CheckpointToInstall): CheckpointReport {
  const { log, parts, threadId, turnId } = turn;
  const { plan, candidate } = what;
  const update = plan.placement === 'before-last-words' ? buildFullUpdate(worldSections, step, () => false) : undefined;
  const context = update === undefined ? [] : contextEntries(turn, update);
  const why = 'checkpoint';
  const told = context.map(({ entry }) => entry);
  const entries = withContext(ownEntries(turn, candidate), told);
  const isContract = plan.phase !== 'standalone_turn' || runsUnderThreadSettings(turn);
  const instructions = isContract ? instructionsAfter(turn, plan) : undefined;
  const input = entries.map(({ item }) => item);
  const text = (instructions ?? instructionsNow(turn)).text;
  const standing = requestTokens({ instructions: text, tools: step.tools, input });
  const after = standing + (update === undefined ? fullContextTokens(step) : 0);
  const report = reportOf(turn, what, { before: nextRequestTokens(turn, step), after });
  // A turn that only compacts has no step to record its contract: record it, unless it has settings for this compaction
  // alone, which do not count for the thread. Do so before the checkpoint: later lines say that the context was sent.
  if (isContract && (plan.phase === 'standalone_turn' || plan.phase === 'post_turn')) recordSettings(turn);
  log.record(
    ...compactedLines(log.state, {
      message: candidate.message,
      items: input,
      metadata: entries.map((entry) => {
        const metadata = entryMetadata({ ...entry, turn: entry.turn ?? turnId });
        const texts = context.find((told) => told.entry === entry)?.texts;
        return texts ? withContextFacts(metadata, { values: texts.map(({ value }) => value), why }) : metadata;
      }),
      windowId: parts.ids.uuid(),
      report,
      instructions,
    }),
  );
  parts.router.renew();
  if (update?.record !== undefined) log.record({ type: lineType.worldState, payload: { ...update.record } });
  for (const { entry, texts } of context) {
    reportContextEvents(turn, String(entry.item['id']), texts, { cause: 'reinjection', why });
  }
  // No provider has counted the new history, so readers of the file use the estimate.
  const { total } = log.state.usage;
  const shown = { threadId, turnId, startedAt: what.startedAt, completedAt: parts.clock.now() };
  log.record(
    tokenCountLine({ total, last: { ...noUsage, total: standing }, window: contextWindowNow(turn).effective }),
    storedItemLine({ ...shown, item: { type: 'ContextCompaction', id: what.id } }),
  );
  return report;
}

function ownEntries({ parts, turnId }: Turn, { entries }: Candidate): readonly HistoryEntry[] {
  return entries.map((entry): HistoryEntry => {
    if (entry.kind === 'kept') return entry.entry;
    const { kind: _kind, item, ...known } = entry;
    return { ...known, item: item(`msg_${parts.ids.uuid()}`), turn: turnId };
  });
}

function contextEntries({ parts, turnId }: Turn, { told }: WorldUpdate) {
  const values = new Map(told.map(({ fragment, value }) => [fragment, value]));
  return mergeFragments(values.keys(), 'reinjection').map(({ item, origin, fragments }) => {
    const entry: HistoryEntry = { item: item(`msg_${parts.ids.uuid()}`), origin, turn: turnId };
    return { entry, texts: fragments.map((fragment) => ({ fragment, value: values.get(fragment) })) };
  });
}

/** Context goes before the last words of the user, or else before the checkpoint's own text. */
function withContext(entries: readonly HistoryEntry[], context: readonly HistoryEntry[]): readonly HistoryEntry[] {
  const place = entries.findLastIndex(({ origin }) => origin.family === 'user');
  const at = place >= 0 ? place : 0;
  return [...entries.slice(0, at), ...context, ...entries.slice(at)];
}

/** After a model switch the previous instructions stay until history is replaced: now the model gets its own. */
function instructionsAfter(turn: Turn, { placement }: CompactionPlan) {
  const { instructions, identity } = turn.envelope;
  const { model } = instructions;
  if (model === undefined || model === instructionsNow(turn).text || placement !== 'next-turn') return undefined;
  return { text: model, provenance: { type: 'model', model: identity.model.slug } } as const;
}

function reportOf(
  { log }: Turn,
  what: CheckpointToInstall,
  tokens: { before: number; after: number },
): CheckpointReport {
  const { id, plan, candidate, requests, why } = what;
  const { trigger, reason, phase, model } = plan;
  const { strategy, words, mended } = candidate;
  const { usage, count, uncounted } = requests;
  return {
    id,
    number: log.state.checkpoints.count + 1,
    trigger,
    reason,
    phase,
    strategy,
    model,
    tokensBefore: tokens.before,
    tokensAfter: tokens.after,
    words,
    folded: foldedItems(entriesOf(log.state.history), candidate),
    requests: count,
    ...(uncounted === 0 ? {} : { uncounted }),
    usage,
    ...(usage.input === 0 ? {} : { cachedShare: usage.cachedInput / usage.input }),
    mended,
    ...defined({ why }),
  };
}

/** Items left to the summary. A quoted message is part of another item and does not count. */
function foldedItems(before: readonly HistoryEntry[], { entries }: Candidate): number {
  const standing = new Set(
    entries.flatMap((each) => (each.kind === 'kept' ? [keyOf(each.entry)] : (each.words ?? []).map(({ id }) => id))),
  );
  return before.filter((entry) => !standing.has(keyOf(entry))).length;
}

/** Items of other programs may have no id. */
const keyOf = ({ item }: HistoryEntry): string | Item => stringAt(item, 'id') ?? item;
