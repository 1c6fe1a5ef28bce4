import { createHash } from 'node:crypto';
import { isJsonObject, type Json, type JsonObject } from '../protocol/json.ts';

/** The digest of a definition, the same that other programs store for it: members in the order of the alphabet. */
export function hookHash(definition: JsonObject): string {
  return `sha256:${createHash('sha256')
    .update(JSON.stringify(ordered(definition)))
    .digest('hex')}`;
}

function ordered(value: Json): Json {
  if (Array.isArray(value)) return value.map((member: Json) => ordered(member));
  if (!isJsonObject(value)) return value;
  const names = Object.keys(value).toSorted();
  return Object.fromEntries(
    names.flatMap((name): [string, Json][] => {
      const member = value[name];
      return member === undefined ? [] : [[name, ordered(member)]];
    }),
  );
}
