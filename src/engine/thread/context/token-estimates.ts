import { type Step, turnProvider } from '../../../core/envelope/envelope.ts';
import { activeTokens, historyTokens, requestTokens, weighHistory } from '../../../core/history/window-usage.ts';
import { historyEntries, mergeFragments } from '../../../core/history/history.ts';
import { itemTokens, type NewestTokenCount, noTokenCount } from '../../../core/history/token-counts.ts';
import { isSameModel, type ProviderName } from '../../../protocol/provider-name.ts';
import type { ThreadState } from '../../../core/state/thread-state.ts';
import { type TurnContract, instructionsNow } from './turn-contract.ts';
import { buildFullUpdate, type WorldUpdate } from '../../../core/world/tell-world.ts';
import { worldSections } from '../../../core/world/catalog.ts';
import { fragmentKindsOf } from '../../../core/world/sections/section.ts';
import { contextToSend } from './current-step.ts';
import { waitingItem } from '../../../core/state/fold/waiting-messages.ts';
import type { Turn } from '../thread-parts.ts';

/** Tokens of the next request now. */
export const activeTokensNow = (turn: TurnContract, step: Pick<Step, 'tools'>) =>
  activeTokensAfter(turn, step, newestCountFor(turn.log.state, turnProvider(turn.envelope)));

/** Tokens of the next request, given this count. */
export function activeTokensAfter(turn: TurnContract, { tools }: Pick<Step, 'tools'>, newest: NewestTokenCount) {
  const { history } = turn.log.state;
  const [reader, instructions] = [turnProvider(turn.envelope), instructionsNow(turn).text];
  const active = activeTokens({ history, reader, instructions, tools, newest, reasoningCounted: false });
  const gone = newest.kind === 'full' ? 0 : lighterBy(turn, tools);
  if (gone === 0) return active;
  return { tokens: Math.max(active.tokens - gone, estimatedTokensNow(turn, { tools })), measure: 'estimated' as const };
}

/** Tokens by which the tools are smaller than those of the counted request. Only a shorter list is read and checked. */
function lighterBy({ log }: TurnContract, tools: Step['tools']): number {
  const { sent, toolSets } = log.state;
  const before = sent?.kind === 'request' ? toolSets.get(sent.record.toolSet) : undefined;
  if (before === undefined || before.length <= tools.length) return 0;
  const weigh = (set: Step['tools']): number => requestTokens({ instructions: '', tools: set, input: [] });
  return Math.max(0, weigh(before) - weigh(tools));
}

export const fixedRequestTokens = (turn: TurnContract, { tools }: Pick<Step, 'tools'>): number =>
  requestTokens({ instructions: instructionsNow(turn).text, tools, input: [] });

/** For display. After a refusal the recorded total only says that the window is full, so the estimate is shown. */
export function shownTokensNow(turn: TurnContract, step: Pick<Step, 'tools'>): number {
  return turn.log.state.usage.newest.kind === 'full'
    ? estimatedTokensNow(turn, step)
    : activeTokensNow(turn, step).tokens;
}

/** Tokens of the next request by our estimate alone, with the context due: after a checkpoint, all context is. */
export const nextRequestTokens = (turn: TurnContract, step: Step): number =>
  estimatedTokensNow(turn, step) + contextTokensToSend(turn, step);

/** Tokens of history, by our estimate alone. */
export function estimatedTokensNow(turn: TurnContract, step: Pick<Step, 'tools'>): number {
  const reader = turnProvider(turn.envelope);
  return fixedRequestTokens(turn, step) + historyTokens(turn.log.state.history, { reader });
}

/** The newest count, unless another provider or model made it from content that this reader is not sent. */
export function newestCountFor({ usage: { newest }, history }: ThreadState, reader: ProviderName): NewestTokenCount {
  const isOthers = newest.by !== undefined && !isSameModel(newest.by, reader);
  return isOthers && weighHistory(history, { reader }).hidden > 0 ? noTokenCount : newest;
}

/** Tokens of the full context. */
export const fullContextTokens = (step: Step): number =>
  contextTextTokens(buildFullUpdate(worldSections, step, () => false));

/** Tokens of context that the next request adds to the present history. */
export const contextTokensToSend = ({ log }: Pick<TurnContract, 'log'>, step: Step): number =>
  contextTextTokens(contextToSend(log.state, step));

/** Tokens of context in history: for each subject the newest text. */
export function contextTokensInHistory({ history }: Pick<ThreadState, 'history'>): number {
  const newer = new Set<string>();
  let tokens = 0;
  for (const { item, origin } of historyEntries(history).toReversed()) {
    const kinds = origin.family === 'context' ? origin.kinds.filter((kind) => worldKinds.has(kind)) : [];
    if (kinds.some((kind) => !newer.has(kind))) tokens += itemTokens(item);
    for (const kind of kinds) newer.add(kind);
  }
  return tokens;
}

const worldKinds: ReadonlySet<string> = new Set(worldSections.flatMap(fragmentKindsOf));

export const contextTextTokens = ({ told }: WorldUpdate): number =>
  mergeFragments(told.map(({ fragment }) => fragment)).reduce((sum, { item }) => sum + itemTokens(item('')), 0);

export const inboxTokens = ({ inbox }: Pick<Turn, 'inbox'>): number =>
  inbox.waiting.reduce((sum, mail) => sum + itemTokens(waitingItem(mail)), 0);
