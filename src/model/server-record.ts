import { isJsonObject, type Json, type JsonObject, numberAt, objectAt } from '../protocol/json.ts';

/** A server may say anything, and what it says of the model in use is stored with every thread. */
const [longestRecord, mostNames, longestText, largestNumber] = [20_000, 32, 200, 100_000_000];
/** Less is no window, and leaves nothing of an output. */
export const leastWindow = 512;
const leastOutput = 500;

const texts = ['default_reasoning_level', 'default_reasoning_summary', 'default_verbosity', 'comp_hash'];
const leasts: Readonly<Record<string, number>> = {
  context_window: leastWindow,
  max_context_window: leastWindow,
  auto_compact_token_limit: leastWindow,
  max_output_tokens: 1,
  effective_context_window_percent: 10,
};
const lists: Readonly<Record<string, string>> = {
  supported_reasoning_levels: 'effort',
  service_tiers: 'id',
  input_modalities: 'name',
};

/** A whole record without keys whose values are out of bounds; those are as for a model that is not known. */
export function boundedRecord(record: JsonObject): JsonObject | undefined {
  const kept = Object.fromEntries(Object.entries(record).filter(([key, value]) => isBounded(key, value)));
  return JSON.stringify(kept).length > longestRecord ? undefined : kept;
}

function isBounded(key: string, value: Json | undefined): boolean {
  const least = leasts[key];
  if (typeof value === 'number' && least !== undefined) return value >= least && value <= largestNumber;
  if (typeof value === 'string' && texts.includes(key)) return value.length <= longestText;
  const name = lists[key];
  if (name !== undefined && Array.isArray(value)) {
    const names = value.slice(0, mostNames).map((each: Json) => (isJsonObject(each) ? each[name] : each));
    return value.length <= mostNames && names.every((each) => typeof each !== 'string' || each.length <= longestText);
  }
  if (key !== 'truncation_policy') return true;
  const limit = numberAt(objectAt({ value }, 'value') ?? {}, 'limit');
  return limit === undefined || (limit >= leastOutput && limit <= largestNumber);
}

/** The tag of a list, if it is one by its form, and not what the question was sent with. */
export function soundEtag(etag: string | undefined, secrets: readonly string[]): string | undefined {
  if (etag === undefined || !/^(?:W\/)?"[\x21\x23-\x7e]{0,200}"$/.test(etag)) return undefined;
  return secrets.some((secret) => etag.includes(secret)) ? undefined : etag;
}
