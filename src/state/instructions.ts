import type { BaseInstructions } from '../envelope/base-instructions.ts';
import { type JsonObject, objectAt, stringAt } from '../protocol/json.ts';
import type { ThreadState } from './thread-state.ts';

/** What requests of the thread begin with now. */
export function instructionsOf(state: Pick<ThreadState, 'meta' | 'instructions'>): BaseInstructions | undefined {
  return state.instructions ?? readInstructions(objectAt(state.meta, 'base_instructions'));
}

export function readInstructions(base: JsonObject | undefined): BaseInstructions | undefined {
  const [text, model] = [stringAt(base, 'text'), stringAt(objectAt(base, 'provenance'), 'model')];
  if (text === undefined) return undefined;
  return { text, provenance: model === undefined ? { type: 'custom' } : { type: 'model', model } };
}
