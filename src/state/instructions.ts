import type { BaseInstructions } from '../envelope/facts.ts';
import { type Json, isJsonObject, objectAt, stringAt } from '../protocol/json.ts';
import type { ThreadState } from './thread-state.ts';

/** What requests of the thread begin with now. */
export function instructionsOf({
  meta,
  instructions,
}: Pick<ThreadState, 'meta' | 'instructions'>): BaseInstructions | undefined {
  return instructions ?? readInstructions(meta['base_instructions']);
}

export function readInstructions(base: Json | undefined): BaseInstructions | undefined {
  if (!isJsonObject(base)) return undefined;
  const text = stringAt(base, 'text');
  if (text === undefined) return undefined;
  const provenance = objectAt(base, 'provenance');
  const model = provenance === undefined ? undefined : stringAt(provenance, 'model');
  return { text, provenance: model === undefined ? { type: 'custom' } : { type: 'model', model } };
}
