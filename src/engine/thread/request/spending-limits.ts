import type { Envelope } from '../../../core/envelope/envelope.ts';
import { type TurnIdentity, resolveTurnIdentity } from '../../../core/envelope/identity.ts';
import type { Settings, SpendingLimits } from '../../../core/envelope/settings.ts';
import type { ModelClient, ModelFailure } from '../../../ports/model.ts';
import { groupDigits, type Outcome } from '../../../protocol/outcome.ts';
import { rootAgentPath } from '../../../protocol/agent.ts';
import type { UsageAllowance, RequestFit } from '../../../protocol/usage.ts';
import type { ThreadParts, Turn } from '../thread-parts.ts';
import { type RequestBilling, resolveRequestBilling } from '../record/record-usage.ts';

/** An answer that a request cannot limit counts as the longest that the model may give. */
export type UnlimitedAnswer = { readonly tokens: number; readonly why: 'chatgpt' | 'checkpoint' | 'provider' };

const unlimitedBecause: Readonly<Record<UnlimitedAnswer['why'], string>> = {
  chatgpt: 'with a ChatGPT login, requests cannot limit their answers',
  checkpoint: 'a provider that makes a checkpoint takes no limit',
  provider: 'this provider takes no limit on answers',
};

type Kept = Pick<ThreadParts, 'isEphemeral'>;

export function limitFailure(
  fitting: Exclude<RequestFit, { kind: 'fits' }>,
  { by, billing, parts }: { readonly by: Envelope; readonly billing: RequestBilling; readonly parts: Kept },
  unlimited?: UnlimitedAnswer,
): ModelFailure {
  const { allowance } = fitting;
  if (fitting.kind === 'unknown') {
    const { message, next } = allowance.unpriced === undefined ? priceUnknown(by, billing) : pastUnknown(allowance);
    return failure(message, next);
  }
  const { most, used, unit, limit } = allowance;
  const amount = (value: number): string => amountWords(value, unit);
  if (limit === 'agents.max_tokens') {
    const message = `The agents of ${rootAgentPath} may use ${amount(most)} together, and have used ${groupDigits(used)}: no request of an agent is sent any more.`;
    return failure(message, 'Do the rest without agents, or raise agents.max_tokens.');
  }
  const longest =
    unlimited &&
    ` That counts the longest answer of ${by.identity.model.slug}, ${groupDigits(unlimited.tokens)} tokens: ${unlimitedBecause[unlimited.why]}.`;
  const message = `The next request could pass ${limit} (${amount(most)}): ${amount(used)} used so far, and the request needs up to ${amount(fitting.least)}.${longest ?? ''} Capstan did not send it.`;
  return failure(message, howToGoOn(limit, parts));
}

export function limitCut(allowance: UsageAllowance, outputLimit: number, parts: Kept): ModelFailure {
  const { limit, most, unit } = allowance;
  const message = `The answer ended after ${groupDigits(outputLimit)} tokens: a longer one could have passed ${limit} (${amountWords(most, unit)}).`;
  return failure(message, howToGoOn(limit, parts));
}

function howToGoOn(limit: UsageAllowance['limit'], { isEphemeral }: Kept): string {
  const options: Partial<Record<typeof limit, string>> = { max_turn_tokens: 'max-tokens', max_turn_cost: 'max-cost' };
  const where = `raise ${limit}${options[limit] === undefined ? '' : ` (exec: --${options[limit]})`}`;
  if (isEphemeral === true)
    return `This thread is ephemeral and cannot be resumed. To continue, ${where} and start again.`;
  const fresh = limit.startsWith('max_turn') ? ' A new turn has the whole limit again.' : '';
  return `Everything so far is kept. To continue, ${where} and resume the thread.${fresh}`;
}

/** The reason why a turn cannot begin: its cost is limited and cannot be counted. */
export const costProblem = ({ envelope, parts }: Pick<Turn, 'envelope' | 'parts'>): Promise<Outcome | undefined> =>
  unpricedProblem(envelope.policy.limits, () => envelope.identity, parts.provider.client);

/** For a turn that another model would run. Its facts are gathered only if its cost is limited. */
export function otherCostProblem(
  settings: Settings,
  { gatherFacts, provider }: Pick<ThreadParts, 'gatherFacts' | 'provider'>,
): Promise<Outcome | undefined> {
  const identity = async (): Promise<TurnIdentity> => resolveTurnIdentity(await gatherFacts(settings), settings);
  return unpricedProblem(settings.limits, identity, provider.client);
}

async function unpricedProblem(
  { turnCost, threadCost }: SpendingLimits = {},
  identityOf: () => TurnIdentity | Promise<TurnIdentity>,
  client: Pick<ModelClient, 'authMode'>,
): Promise<Outcome | undefined> {
  if (turnCost === undefined && threadCost === undefined) return undefined;
  const by = { identity: await identityOf() };
  const billing = await resolveRequestBilling(by, client);
  return billing.price === undefined ? priceUnknown(by, billing) : undefined;
}

function priceUnknown({ identity }: Pick<Envelope, 'identity'>, { by }: RequestBilling): Outcome<'price-unknown'> {
  const { model, provider, price } = identity;
  const table = `[model_prices."${provider}/${model.slug}"]`;
  if (by === 'plan') {
    const message = `A limit on cost is set, and no price applies to ${model.slug} from ${provider}: with a ChatGPT login, the plan of the account pays.`;
    const next = `Set a limit in tokens instead (max_turn_tokens, exec: --max-tokens), or add ${table} to config.toml to count by a price of your own.`;
    return { code: 'price-unknown', message, next };
  }
  const why = price === undefined ? 'no price is known for' : `its known price does not hold for such long requests of`;
  const message = `A limit on cost is set, and ${why} ${model.slug} from ${provider}.`;
  const next = `Add ${table} with input = … and output = … (US dollars per million tokens) to config.toml, or set a limit in tokens.`;
  return { code: 'price-unknown', message, next };
}

function pastUnknown({ limit, unpriced = 0 }: UsageAllowance): Pick<Outcome, 'message' | 'next'> {
  return {
    message: `${limit} is set, and ${groupDigits(unpriced)} tokens that it counts were used without a known price.`,
    next: 'Limit turns with max_turn_cost instead, or tokens with max_thread_tokens.',
  };
}

function failure(message: string, next: string): ModelFailure {
  return { code: 'spending-limit', message, next, retry: 'never' };
}

function amountWords(value: number, unit: UsageAllowance['unit']): string {
  if (unit === 'tokens') return value === 1 ? '1 token' : `${groupDigits(value)} tokens`;
  const usd = value / 1e9;
  return `$${usd >= 1 ? usd.toFixed(2) : Number(usd.toPrecision(2))}`;
}
