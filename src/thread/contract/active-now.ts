import { providerOfTurn } from '../../envelope/provider-of.ts';
import type { Step } from '../../envelope/step.ts';
import { activeTokens } from '../../history/active-tokens.ts';
import { entries } from '../../history/history.ts';
import { historyTokens, weightOf } from '../../history/history-weight.ts';
import { requestTokens } from '../../history/ledger.ts';
import { type NewestCount, noCount } from '../../history/newest-count.ts';
import { isSameModel, type ProviderName } from '../../protocol/provider-name.ts';
import type { ThreadState } from '../../state/thread-state.ts';
import { type Contract, instructionsNow } from './contract-now.ts';
import { mergeFragments } from '../../history/merge-fragments.ts';
import { itemTokens } from '../../history/size.ts';
import { buildBundle, type Telling } from '../../world/tell.ts';
import { sections } from '../../world/sections.ts';
import { tellingFor } from './step-now.ts';
import { waitingItem } from '../../state/waiting.ts';
import type { Turn } from '../parts/parts.ts';

/** What the next request would weigh as things stand. */
export function activeNow(turn: Contract, step: Pick<Step, 'tools'>) {
  return activeAfter(turn, step, countFor(turn.log.state, providerOfTurn(turn.envelope)));
}

/** The same after this count. */
export function activeAfter(turn: Contract, { tools }: Pick<Step, 'tools'>, newest: NewestCount) {
  const { history } = turn.log.state;
  const [reader, instructions] = [providerOfTurn(turn.envelope), instructionsNow(turn).text];
  const active = activeTokens({ history, reader, instructions, tools, newest, reasoningCounted: false });
  const gone = newest.kind === 'full' ? 0 : lighterBy(turn, tools);
  if (gone === 0) return active;
  return { tokens: Math.max(active.tokens - gone, estimateNow(turn, { tools })), measure: 'estimated' as const };
}

/** What the tools of the last request, which its count covers, weighed more than these. Only a shorter list is looked at: each look reads it whole. */
function lighterBy({ log }: Contract, tools: Step['tools']): number {
  const { sent, toolSets } = log.state;
  const before = sent?.kind === 'request' ? toolSets.get(sent.record.toolSet) : undefined;
  if (before === undefined || before.length <= tools.length) return 0;
  const weigh = (set: Step['tools']): number => requestTokens({ instructions: '', tools: set, input: [] });
  return Math.max(0, weigh(before) - weigh(tools));
}

/** Instructions and tools. */
export function fixedTokens(turn: Contract, { tools }: Pick<Step, 'tools'>): number {
  return requestTokens({ instructions: instructionsNow(turn).text, tools, input: [] });
}

/** The same as users are shown it: a total that stands for a refusal is no number of tokens. */
export function shownNow(turn: Contract, step: Pick<Step, 'tools'>): number {
  return turn.log.state.usage.newest.kind === 'full' ? estimateNow(turn, step) : activeNow(turn, step).tokens;
}

/**
 * By our estimate alone, with the context that the next request would bring. By this measure a checkpoint is compared
 * with what it replaces: afterwards that request sends all context again.
 */
export function nextRequestTokens(turn: Contract, step: Step): number {
  return estimateNow(turn, step) + dueTokens(turn, step);
}

/** What stands, by our estimate alone. */
export function estimateNow(turn: Contract, step: Pick<Step, 'tools'>): number {
  return fixedTokens(turn, step) + historyTokens(turn.log.state.history, { reader: providerOfTurn(turn.envelope) });
}

/** The newest count, unless another provider or model made it and was sent what this reader is not. */
export function countFor({ usage: { newest }, history }: ThreadState, reader: ProviderName): NewestCount {
  const isOthers = newest.by !== undefined && !isSameModel(newest.by, reader);
  return isOthers && weightOf(history, { reader }).hidden > 0 ? noCount : newest;
}

/** What it takes to tell everything about the world. */
export function bundleTokens(step: Step): number {
  return tellingTokens(buildBundle(sections, step, () => false));
}

/** What the next request tells about the world if history stands as it is. */
export function dueTokens({ log }: Pick<Contract, 'log'>, step: Step): number {
  return tellingTokens(tellingFor(log.state, step));
}

/** What the context about the world weighs that history holds: of each text about the same the newest. */
export function standingTokens({ history }: Pick<ThreadState, 'history'>): number {
  const newer = new Set<string>();
  let tokens = 0;
  for (const { item, origin } of entries(history).toReversed()) {
    const kinds = origin.family === 'context' ? origin.kinds.filter((kind) => worldKinds.has(kind)) : [];
    if (kinds.some((kind) => !newer.has(kind))) tokens += itemTokens(item);
    for (const kind of kinds) newer.add(kind);
  }
  return tokens;
}

const worldKinds: ReadonlySet<string> = new Set(
  sections.flatMap(({ kinds: { telling, withdrawing } }) => [...telling, ...withdrawing]),
);

export function tellingTokens({ told }: Telling): number {
  return mergeFragments(told.map(({ fragment }) => fragment)).reduce((sum, { item }) => sum + itemTokens(item('')), 0);
}

/** What the words and items that wait to enter history weigh. */
export function waitingTokens({ inbox }: Pick<Turn, 'inbox'>): number {
  return inbox.waiting.reduce((sum, mail) => sum + itemTokens(waitingItem(mail)), 0);
}
