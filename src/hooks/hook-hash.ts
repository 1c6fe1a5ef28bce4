import { createHash } from 'node:crypto';
import { type JsonObject, sortedJson } from '../protocol/json.ts';

/** The digest of a definition, the same that other programs store for it: members in the order of the alphabet. */
export function hookHash(definition: JsonObject): string {
  return `sha256:${createHash('sha256').update(sortedJson(definition)).digest('hex')}`;
}
