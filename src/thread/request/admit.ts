import { fitRequest, leastOutput, type RequestSize } from '../../envelope/fit-request.ts';
import { requestTokens } from '../../history/ledger.ts';
import type { MeteredRequest, SharedSpending } from '../../ports/agents.ts';
import type { ModelFailure } from '../../ports/model-client.ts';
import type { Prompt } from '../../ports/prompt.ts';
import type { Provider } from '../../ports/provider.ts';
import type { Allowance, Fitting } from '../../protocol/spending.ts';
import type { Usage } from '../../protocol/usage.ts';
import { allowances } from '../../state/spending.ts';
import { activeNow } from '../contract/active-now.ts';
import type { Turn } from '../parts/parts.ts';
import { type Billing, billingOf } from './billing.ts';
import { limitFailure, type UnlimitedAnswer } from './limit-reached.ts';
import type { RequestToSend } from './request-to-send.ts';

/** A request that may be sent. */
export interface Admitted {
  /** What it says of the length of its answer. Absent: nothing. */
  readonly outputLimit?: number;
  /** The limit by which its answer is shorter than it could be. */
  readonly shortenedBy?: Allowance;
  /** It is over, and cost so much. */
  over(spent: Usage | undefined): void;
}

const free: Admitted = { over: () => {} };

/** For a model whose record does not say how long its answers may be. */
const usualOutput = 32_000;

/**
 * Whether a request may be sent under the limits of its turn, of the root that it works for, and of all agents. One that
 * could pass a limit is not sent. The answer is held to what is left, where the format can say it.
 */
export async function admit(turn: Turn, given: RequestToSend, planned: () => Prompt): Promise<Admitted | ModelFailure> {
  const { parts, log, envelope } = turn;
  const { limits } = envelope.policy;
  if (limits === undefined && parts.agent === undefined) return free;
  const endless = await whyUnlimited(given);
  const isLimited = endless === undefined;
  const billing = await billingOf(given.by, given.provider.client);
  const size = sizeOf(turn, given, { prompt: planned(), isLimited, billing });
  let all: readonly Allowance[] = [];
  const decide = ({ beside, left }: SharedSpending): Fitting => {
    all = [...(limits === undefined ? [] : allowances(log.state, limits, beside)), ...left];
    return fitRequest(all, size);
  };
  const { fitting, over } = await (parts.agents === undefined
    ? meterAlone(turn, decide)
    : parts.agents.meter(decide, turn.signal));
  const answer = endless && { tokens: size.output, why: endless };
  if (fitting.kind !== 'fits') return limitFailure(fitting, { by: given.by, billing, parts }, answer);
  if (!isLimited || all.length === 0) return { over };
  const isShorter = fitting.output < size.output;
  // Found again: it is the one that leaves the least.
  const shortenedBy = isShorter ? tightest(all, size, fitting.output) : undefined;
  return { outputLimit: fitting.output, ...(shortenedBy && { shortenedBy }), over };
}

function tightest(all: readonly Allowance[], size: RequestSize, output: number): Allowance | undefined {
  return all.find((each) => {
    const alone = fitRequest([each], size);
    return alone.kind === 'fits' && alone.output === output;
  });
}

/** Why the request cannot say how long its answer may be; undefined: it can. */
async function whyUnlimited({ provider, form }: RequestToSend): Promise<UnlimitedAnswer['why'] | undefined> {
  if (form === 'unary') return 'checkpoint';
  const { outputLimit } = provider.capabilities;
  if (outputLimit === 'always') return undefined;
  if (outputLimit === undefined) return 'provider';
  return (await paysByToken(provider)) ? undefined : 'chatgpt';
}

async function paysByToken({ client }: Provider): Promise<boolean> {
  return (await client.authMode()) !== 'chatgpt';
}

function sizeOf(
  turn: Turn,
  { by, step, auxiliary }: RequestToSend,
  { prompt, isLimited, billing }: { readonly prompt: Prompt; readonly isLimited: boolean; readonly billing: Billing },
): RequestSize {
  const { model } = by.identity;
  const estimate = requestTokens(prompt);
  // What the provider counted last says more of its next count than our estimate.
  const input = auxiliary === undefined ? Math.max(estimate, activeNow(turn, step).tokens) : estimate;
  const longest = model.maxOutputTokens ?? usualOutput;
  const window = model.maxContextWindow ?? model.contextWindow;
  // Where nothing holds the answer back, its model does: no more can come than its window has space for.
  const output = isLimited ? longest : Math.max(leastOutput, Math.min(longest, window - input));
  return { input, output, least: isLimited ? Math.min(leastOutput, output) : output, price: billing.price };
}

/** A thread without agents: only its own requests are under way, such as those of several reviews. */
function meterAlone({ memory, signal }: Turn, decide: (shared: SharedSpending) => Fitting): Promise<MeteredRequest> {
  return memory.underWay.admit('own', (under) => decide({ beside: under.of(() => true), left: [] }), signal);
}
