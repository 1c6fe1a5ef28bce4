import { type Envelope, turnProvider } from '../../../core/envelope/envelope.ts';
import type { HistoryEntry } from '../../../core/history/entry.ts';
import { requestTokens } from '../../../core/history/window-usage.ts';
import { type Outcome, endWithFullStop } from '../../../protocol/outcome.ts';
import { isSameProvider, type ProviderName, canReadOpaqueItems } from '../../../protocol/provider-name.ts';
import { foldReopened, reopenedLine } from '../../../core/state/checkpoints/opaque-checkpoint.ts';
import { currentProvider } from '../../../core/state/current-provider.ts';
import { historyAsRequestInput } from '../../../core/state/plan-request.ts';
import { importNameOf } from '../../../core/state/line-seals.ts';
import { compactionContract } from '../context/turn-contract.ts';
import type { Turn } from '../thread-parts.ts';
import type { ModelProvider } from '../../../ports/model.ts';
import { compactHistory } from './compact.ts';
import type { CompactionResult, UnreadableReason, WantedCompaction } from './compaction-result.ts';
import { gatherNextStep } from '../context/current-step.ts';
import { compactAfterReopening } from './compact-when-full.ts';

/** Prefers the history behind the checkpoint, which is complete. If it is too long, asks the checkpoint's maker. */
export async function chooseReadableHistory(
  turn: Turn,
  hidden: readonly HistoryEntry[],
): Promise<ReadableHistoryChoice> {
  const behind = await turn.log.learnBehind();
  const maker = oneMaker(hidden);
  const isHere = maker !== undefined && isSameProvider(maker, turnProvider(turn.envelope));
  const reason = isHere ? 'comp_hash_changed' : 'provider_changed';
  if (behind !== undefined && fitsAtOnce(turn)) return { kind: 'behind', reason };
  const asked = maker === undefined ? undefined : await makerToAsk(turn, maker);
  const outcome = isHere ? unreadableHere(turn) : unreadable(turn, maker);
  if (asked !== undefined)
    return { kind: 'ask', reason, maker: asked, hasBehind: behind !== undefined, otherwise: outcome };
  return behind === undefined ? { kind: 'refused', outcome } : { kind: 'behind', reason };
}

function oneMaker(hidden: readonly HistoryEntry[]): ProviderName | undefined {
  const [first, ...others] = hidden.map(({ maker }) => maker);
  if (first === undefined) return undefined;
  return others.every((one) => one !== undefined && isSameProvider(one, first)) ? first : undefined;
}

function fitsAtOnce(turn: Turn): boolean {
  const { log, envelope, parts } = turn;
  const { instructions, tools, modalities, window } = compactionContract(turn);
  const input = historyAsRequestInput(foldReopened(log.state).history, {
    modalities,
    provider: turnProvider(envelope),
  });
  const tokens = requestTokens({ instructions, tools: parts.router.specs(tools, envelope.policy), input });
  return tokens <= window.effective - window.checkpoint.answer;
}

/** The maker, if it knows all of this history. An imported file must not decide which server gets this user's key. */
async function makerToAsk({ log, before, envelope, parts }: Turn, maker: ProviderName) {
  const newest = currentProvider(log.state);
  if (before === undefined || newest === undefined || importNameOf(log.state.meta) !== undefined) return undefined;
  if (!isSameProvider(newest, maker) || !canReadOpaqueItems(turnProvider(before), maker)) return undefined;
  const isHere = isSameProvider(maker, turnProvider(envelope));
  const provider = isHere ? parts.provider : await parts.providerOf?.(maker);
  return provider === undefined ? undefined : { provider, by: before };
}

/** The id comes from a file: in a command it must not mean anything to a shell. */
const plainId = /^[\w.-]+$/;

function unreadable({ threadId, envelope }: Turn, maker: ProviderName | undefined): Outcome<'history-opaque'> {
  const reader = turnProvider(envelope);
  const at = maker?.address === undefined ? '' : ` at ${maker.address}`;
  const name = maker && `"${maker.id}"${at}`;
  const who = `the provider ${name ?? 'that made it (the file does not say which one)'}`;
  const message = `This thread begins with an encrypted checkpoint that only ${who} can read. The file does not hold the history before it, so "${reader.id}" would not know that history. Nothing was sent.`;
  return { code: 'history-opaque', message, next: nextFor(threadId, maker, reader) };
}

function unreadableHere({ threadId, envelope }: Turn): Outcome<'history-opaque'> {
  const { slug } = envelope.identity.model;
  const message = `This thread begins with an encrypted checkpoint by a model that "${slug}" is not compatible with. The file does not hold the history before it, so "${slug}" would not know that history. Nothing was sent.`;
  const next = `Switch back to the model that made it and make a checkpoint that every model can read: \`capstan threads compact ${threadId} -c compaction.strategy=structured\`. Then switch again.`;
  return { code: 'history-opaque', message, next };
}

function nextFor(threadId: string, maker: ProviderName | undefined, reader: ProviderName): string {
  if (maker === undefined) return 'Import the complete thread, or start a new one.';
  const command = `capstan threads compact ${threadId}`;
  if (maker.id === reader.id) {
    const what = maker.wire === reader.wire ? 'the address' : 'wire_api';
    return `Set ${what} of the provider back to the old one and make a checkpoint that every provider can read: \`${command} -c compaction.strategy=structured\`. Then change it again.`;
  }
  if (!plainId.test(maker.id)) return 'Continue with that provider, or start a new thread.';
  return `Use that provider to make a checkpoint that every provider can read: \`${command} -c model_provider=${maker.id} -c compaction.strategy=structured\`. Or continue with that provider.`;
}

/**
 * The way to a history that the turn's model can read, despite an encrypted checkpoint that it cannot. `behind`: use
 * the history behind the checkpoint. `ask`: ask the checkpoint's maker for a readable one; if that fails, `hasBehind`
 * says whether the other way is left.
 */
export type ReadableHistoryChoice = UsableHistoryChoice | { readonly kind: 'refused'; readonly outcome: Outcome };

export type UsableHistoryChoice = { readonly reason: UnreadableReason } & (
  | { readonly kind: 'behind' }
  | { readonly kind: 'ask'; readonly maker: MakerToAsk; readonly hasBehind: boolean; readonly otherwise: Outcome }
);

type MakerToAsk = { readonly provider: ModelProvider; readonly by: Envelope };

/**
 * Makes the history readable. Undefined when the history behind the checkpoint is used. `wanted`: the checkpoint to ask
 * its maker for. `freesSpace`: compact a reused history that is too long; false if the caller compacts it anyway.
 */
export async function applyReadableHistoryChoice(
  turn: Turn,
  way: UsableHistoryChoice,
  { wanted, freesSpace }: { readonly wanted: WantedCompaction; readonly freesSpace: boolean },
): Promise<CompactionResult | undefined> {
  if (way.kind === 'ask') {
    const { provider, by } = way.maker;
    const step = await gatherNextStep(turn, 0);
    const result = await compactHistory(turn, step, { ...wanted, by, provider, only: true, mayGrow: true });
    if (result.kind !== 'failed') return result;
    if (!way.hasBehind) {
      const message = `${way.otherwise.message} Capstan asked its maker for a readable checkpoint, which failed: ${endWithFullStop(result.outcome.message)}`;
      return { kind: 'failed', outcome: { ...way.otherwise, message } };
    }
  }
  const { log, turnId, envelope } = turn;
  const before = log.state.history.length;
  const reader = turnProvider(envelope);
  log.record(reopenedLine(turnId, reader));
  log.tell({ kind: 'warning', outcome: usedAgain(turn, way, log.state.history.length - before) });
  if (freesSpace) await compactAfterReopening(turn, await gatherNextStep(turn, 0), way.reason);
  return undefined;
}

function usedAgain({ envelope }: Turn, { reason }: UsableHistoryChoice, items: number) {
  const { provider, model } = envelope.identity;
  const why =
    reason === 'provider_changed'
      ? `Only the provider that made the newest checkpoint can read it, and this thread now uses "${provider}".`
      : `The newest checkpoint is encrypted for another model, and this thread now uses "${model.slug}".`;
  const message = `${why} Capstan sends the original history instead (${items} more items).`;
  return { code: 'history-reopened', message, next: 'Nothing is lost. No action is needed.' };
}
