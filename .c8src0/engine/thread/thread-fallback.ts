import type { Settings } from '../../core/envelope/settings.ts';
import { continuedTurnInput } from '../../core/fragments/events/turns-and-goals.ts';
import { failureCauses, mayFallBack } from '../../adapters/model/http/failures/failure-causes.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { type Usage, usageSince, usedTokens } from '../../protocol/usage.ts';
import type { UserInput } from '../../protocol/user-input.ts';
import type { ThreadParts } from './thread-parts.ts';
import { otherCostProblem } from './request/spending-limits.ts';
import type { ThreadCore } from './thread-core.ts';

export type FallbackModel = { readonly settings: Settings; readonly parts: ThreadParts };

/** A turn in which another model continues one that failed. */
export interface FallbackContinuation extends FallbackModel {
  readonly input: UserInput;
  /** For the user, once the failed turn has ended. */
  readonly notice: Outcome;
}

export class ThreadFallback {
  readonly #thread: Pick<ThreadCore, 'log' | 'parts'>;
  /** The model and provider whose quota this process has seen used up, and the replacement. */
  #spentUp: { readonly name: string; readonly by: Settings } | undefined;

  constructor(thread: Pick<ThreadCore, 'log' | 'parts'>) {
    this.#thread = thread;
  }

  standIn(settings: Settings): Settings | undefined {
    return this.#spentUp?.name === nameOf(settings) ? this.#spentUp.by : undefined;
  }

  /** The fallback for a turn of the user while the quota of its own model is used up. */
  async instead(settings: Settings): Promise<FallbackModel | undefined> {
    return this.standIn(settings) === undefined ? undefined : this.#open(settings);
  }

  /** Continues a failed turn under these settings, if possible. `before`: the thread's cost when the turn began. */
  async after(
    { outcome, before, signal }: { readonly outcome: Outcome; readonly before: Usage; readonly signal: AbortSignal },
    settings: Settings,
  ): Promise<FallbackContinuation | undefined> {
    if (signal.aborted || this.#thread.parts.fallback === undefined) return undefined;
    const cause = 'cause' in outcome ? String(outcome.cause) : undefined;
    if (!mayFallBack(cause)) return undefined;
    const other = await this.#open(settings);
    if (other === undefined) return undefined;
    if (outcome.code === failureCauses.quota.code) this.#spentUp = { name: nameOf(settings), by: other.settings };
    const used = usageSince(before, this.#thread.log.state.usage.total);
    const input = continuedTurnInput('other-model');
    const notice = takesOver(settings, other.settings);
    return { ...other, settings: { ...other.settings, ...countingBefore(other.settings, used) }, input, notice };
  }

  async #open(settings: Settings): Promise<FallbackModel | undefined> {
    const opened = await this.#thread.parts.fallback?.(settings);
    if (opened === undefined) return undefined;
    if ('code' in opened) return this.#refuse(fallbackUnusable(opened));
    // Do not announce a turn that would be refused at once.
    const unpriced = await otherCostProblem(opened.settings, opened.parts);
    return unpriced === undefined ? opened : this.#refuse({ ...fallbackUnusable(unpriced), next: unpriced.next });
  }

  async #refuse(outcome: Outcome): Promise<undefined> {
    const { log } = this.#thread;
    log.tell({ kind: 'warning', outcome });
    // No line follows by itself.
    await log.durable();
    return undefined;
  }
}

/** Limits on a turn include the cost of the turn that it continues. */
function countingBefore({ limits }: Settings, used: Usage): Pick<Settings, 'limits'> | undefined {
  if (limits === undefined) return undefined;
  const all = used.total + (used.estimated ?? 0);
  const { nanoUsd, unpriced } = used.cost ?? { nanoUsd: 0, unpriced: all };
  const before = limits.continued ?? { tokens: 0, nanoUsd: 0, unpriced: 0 };
  const continued = {
    tokens: before.tokens + usedTokens(used) + (used.estimated ?? 0),
    nanoUsd: before.nanoUsd + nanoUsd,
    unpriced: before.unpriced + unpriced,
  };
  return { limits: { ...limits, continued } };
}

const nameOf = ({ provider, model }: Settings): string => `${provider}/${model}`;

function takesOver(from: Settings, to: Settings): Outcome<'model-fallback'> {
  return {
    code: 'model-fallback',
    message: `${from.model} from ${from.provider} cannot answer; ${to.model} from ${to.provider} continues.`,
    next: 'The next message goes to the configured model again, unless its quota is used up.',
  };
}

/** Reported at the start of a thread, or when a turn needs the other model. */
export function fallbackUnusable(problem: Outcome): Outcome<'model-fallback-unusable'> {
  return {
    code: 'model-fallback-unusable',
    message: `The model of model_fallback cannot be used: ${problem.message}`,
    next: 'Correct model_fallback in config.toml, or the table of its provider.',
  };
}
