import { providerOfTurn } from '../../envelope/provider-of.ts';
import type { Entry } from '../../history/entry.ts';
import { requestTokens } from '../../history/ledger.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { isSameProvider, type ProviderName } from '../../protocol/provider-name.ts';
import { foldReopened } from '../../state/behind.ts';
import { makerNow } from '../../state/maker-now.ts';
import { inputOf } from '../../state/request.ts';
import { importOf } from '../../state/sealed-lines.ts';
import { compactionContract } from '../contract/compaction-contract.ts';
import type { Turn } from '../parts/parts.ts';
import type { MakerToAsk, WayToRead } from './readable-way.ts';

/**
 * The history behind the checkpoint is the whole truth, and needs no other provider. If it is too long to be read at
 * once, the maker's summary is worth more than notes from many parts. Without either the turn is refused.
 */
export async function chooseWay(turn: Turn, hidden: readonly Entry[]): Promise<WayToRead> {
  const behind = await turn.log.learnBehind();
  if (behind !== undefined && fitsAtOnce(turn)) return { kind: 'behind' };
  const maker = oneMaker(hidden);
  const asked = maker === undefined ? undefined : await makerToAsk(turn, maker);
  const outcome = unreadable(turn, maker);
  if (asked !== undefined) return { kind: 'ask', maker: asked, hasBehind: behind !== undefined, otherwise: outcome };
  return behind === undefined ? { kind: 'refused', outcome } : { kind: 'behind' };
}

function oneMaker(hidden: readonly Entry[]): ProviderName | undefined {
  const [first, ...others] = hidden.map(({ maker }) => maker);
  if (first === undefined) return undefined;
  return others.every((one) => one !== undefined && isSameProvider(one, first)) ? first : undefined;
}

/** Whether a request for a checkpoint could hold all of it. */
function fitsAtOnce(turn: Turn): boolean {
  const { log, envelope, parts } = turn;
  const { instructions, tools, modalities, window } = compactionContract(turn);
  const input = inputOf(foldReopened(log.state).history, { modalities, provider: providerOfTurn(envelope) });
  const tokens = requestTokens({ instructions, tools: parts.router.specs(tools), input });
  return tokens <= window.effective - window.checkpoint.answer;
}

/**
 * The maker sees only what it has seen before. It is asked with the model that ran last, if that was one of its own. A
 * file that was brought here from elsewhere does not decide whom this user's key is shown to.
 */
async function makerToAsk({ log, before, parts }: Turn, maker: ProviderName): Promise<MakerToAsk | undefined> {
  const newest = makerNow(log.state);
  if (before === undefined || newest === undefined || importOf(log.state.meta) !== undefined) return undefined;
  if (!isSameProvider(newest, maker) || !isSameProvider(providerOfTurn(before), maker)) return undefined;
  const provider = await parts.providerOf?.(maker);
  return provider === undefined ? undefined : { provider, by: before };
}

/** What stands in a command must not mean anything to a shell: it comes from a file. */
const plainId = /^[\w.-]+$/;

function unreadable({ threadId, envelope }: Turn, maker: ProviderName | undefined): Outcome<'history-opaque'> {
  const reader = providerOfTurn(envelope);
  const at = maker?.address === undefined ? '' : ` at ${maker.address}`;
  const who =
    maker === undefined
      ? 'the provider that made it, and the file does not prove which one that was'
      : `the provider "${maker.id}"${at}, which made it`;
  return {
    code: 'history-opaque',
    message: `This thread begins with a checkpoint that can be read only by ${who}. What stood before it is not in the file, so "${reader.id}" would know nothing of it. Nothing was sent.`,
    next: nextFor(threadId, maker, reader),
  };
}

function nextFor(threadId: string, maker: ProviderName | undefined, reader: ProviderName): string {
  if (maker === undefined) return 'Bring the whole thread here, or start a new one.';
  const command = `capstan threads compact ${threadId}`;
  if (maker.id === reader.id) {
    return `Set the address of the provider back, and make a checkpoint that every provider can read: \`${command} -c compaction.strategy=structured\`. Then come back.`;
  }
  if (!plainId.test(maker.id)) return 'Go on with that provider, or start a new thread.';
  return `Make a checkpoint that every provider can read, with that provider: \`${command} -c model_provider=${maker.id} -c compaction.strategy=structured\`. Or continue with it.`;
}
