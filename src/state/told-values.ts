import { defined } from '../protocol/defined.ts';
import { arrayAt, type Json, type JsonObject, objectAt, stringAt } from '../protocol/json.ts';

/** Nothing large is stored twice (I9): a longer fact is known by its text alone. */
const longestValue = 2000;

/** What is known about the texts of a context item beside its kinds: the typed facts, one for each text, and why it is sent again. */
export interface ToldValues {
  readonly values: readonly (Json | undefined)[];
  readonly why?: string;
}

/** The metadata of the item with it. */
export function withTold(metadata: JsonObject, { values, why }: ToldValues): JsonObject {
  const kept = values.map((value) => (isShort(value) ? value : null));
  const told = defined({ why, values: kept.every((value) => value === null) ? undefined : kept });
  if (Object.keys(told).length === 0) return metadata;
  return { ...metadata, capstan: { ...objectAt(metadata, 'capstan'), told } };
}

export function readTold(metadata: JsonObject | undefined): ToldValues {
  const told = objectAt(objectAt(metadata, 'capstan'), 'told');
  const values = (arrayAt(told, 'values') ?? []).map((value) => value ?? undefined);
  return { values, ...defined({ why: stringAt(told, 'why') }) };
}

function isShort(value: Json | undefined): value is Json {
  return value !== undefined && value !== null && JSON.stringify(value).length <= longestValue;
}
