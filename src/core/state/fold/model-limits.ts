import { type JsonObject, numberAt, objectAt, objectsAt, stringAt } from '../../../protocol/json.ts';
import { type LineDraft, lineType } from '../../../protocol/line.ts';
import { readUsage } from '../drafts/usage-and-failure-fields.ts';

export interface ModelLimit {
  readonly provider: string;
  readonly model: string;
  readonly accepted?: number;
  /** Number of tokens that it has certainly accepted. */
  readonly proven?: number;
  /** The window that a refusal named, and the one configured then. Dropped once the model accepts more tokens. */
  readonly named?: { readonly tokens: number; readonly assumed: number };
}

type Limits = readonly ModelLimit[];
type ModelName = Pick<ModelLimit, 'provider' | 'model'>;
/** A smaller number is an error: no usable model has such a window. */
const leastNamed = 1001;
/** Least and most bytes per token of any tokeniser. They limit a provider's count, which may be wrong or missing. */
const bytesPerToken = { least: 2, most: 10 } as const;
/** A thread has few models; a forged file may name any number. */
const mostModels = 16;

export const findModelLimit = (limits: Limits, { provider, model }: ModelName): ModelLimit | undefined =>
  limits.find((limit) => limit.provider === provider && limit.model === model);

/** Folds a `capstan_step` line. `bytes`: body of the thread's newest request. */
export function foldStepLimits(limits: readonly ModelLimit[], payload: JsonObject, bytes: number | undefined) {
  const [provider, model] = [stringAt(payload, 'provider'), stringAt(payload, 'model')];
  if (provider === undefined || model === undefined) return limits;
  const before = findModelLimit(limits, { provider, model }) ?? { provider, model };
  const after = isAnswered(payload)
    ? withAccepted(before, bytes ?? 0, readUsage(payload['usage']).input)
    : withNamed(before, numberAt(payload, 'named_window'), numberAt(payload, 'assumed_window'));
  if (after === before) return limits;
  return [...limits.filter((limit) => limit.provider !== provider || limit.model !== model), after].slice(-mostModels);
}

/** Requests of the conversation only. No line counts the body of a compaction's request. */
const isAnswered = ({ outcome, purpose }: JsonObject): boolean =>
  purpose === undefined && (outcome === 'done' || outcome === 'go-on');

function withAccepted(limit: ModelLimit, bytes: number, counted: number): ModelLimit {
  const accepted = Math.max(limit.accepted ?? 0, bytes);
  const proven = Math.max(limit.proven ?? 0, takenBy(bytes, counted));
  if (accepted === (limit.accepted ?? 0) && proven === (limit.proven ?? 0)) return limit;
  // Taken out and added again, so that it stays the last member of a line.
  const { named, ...known } = limit;
  return { ...known, accepted, proven, named: named === undefined || named.tokens < proven ? undefined : named };
}

function takenBy(bytes: number, counted: number): number {
  if (counted === 0) return Math.floor(bytes / bytesPerToken.most);
  return Math.min(counted, Math.floor(bytes / bytesPerToken.least));
}

/** The newest value wins: a server may have been restarted with another window. */
function withNamed(limit: ModelLimit, tokens: number | undefined, assumed: number | undefined): ModelLimit {
  if (tokens === undefined || assumed === undefined || !Number.isSafeInteger(tokens)) return limit;
  if (tokens < leastNamed || tokens < (limit.proven ?? 0)) return limit;
  return { ...limit, named: { tokens, assumed } };
}

/** Repeats windows named by servers when a rollout continues from an earlier place, without reference to a request. */
export function repeatedModelWindowLines(then: Limits, now: Limits): readonly LineDraft[] {
  return now.flatMap(({ provider, model, named }) => {
    const before = findModelLimit(then, { provider, model })?.named;
    if (named === undefined || (before?.tokens === named.tokens && before.assumed === named.assumed)) return [];
    const said = { named_window: named.tokens, assumed_window: named.assumed };
    return [{ type: lineType.step, payload: { provider, model, purpose: 'carried', ...said } }];
  });
}

export const modelLimitsFromJson = (carried: JsonObject): readonly ModelLimit[] =>
  objectsAt(carried, 'model_limits').flatMap(readLimit).slice(-mostModels);

function readLimit(value: JsonObject): readonly ModelLimit[] {
  const [provider, model] = [stringAt(value, 'provider'), stringAt(value, 'model')];
  if (provider === undefined || model === undefined) return [];
  const limit = { provider, model, accepted: numberAt(value, 'accepted'), proven: numberAt(value, 'proven') };
  const named = objectAt(value, 'named');
  return [withNamed(limit, numberAt(named, 'tokens'), numberAt(named, 'assumed'))];
}
