import type { Engine } from '../../../../engine/engine.ts';
import type { LiveThreads } from '../../../../engine/live/live-thread-types.ts';
import type { JsonObject } from '../../../../protocol/json.ts';
import type { ClientListeners, ThreadFeeds } from '../client-listeners.ts';
import type { TurnRuns } from './turn-runs.ts';

/** Parts of JSON Schemas. They are short: the list of tools fills the host's context window. */

export const booleanSchema: JsonObject = { type: 'boolean' };
export const objectSchema: JsonObject = { type: 'object' };
export const textListSchema: JsonObject = { type: 'array', items: { type: 'string' } };
/** A list of objects; their contents are documented elsewhere. */
export const objectListSchema: JsonObject = { type: 'array' };

export function textSchema(description?: string): JsonObject {
  return { type: 'string', ...(description !== undefined && { description }) };
}

export function choiceSchema(...choices: readonly string[]): JsonObject {
  return { type: 'string', enum: choices };
}

export function wholeNumberSchema(description?: string, minimum = 0): JsonObject {
  return { type: 'integer', minimum, ...(description !== undefined && { description }) };
}

/** The input schema of a tool. The wire refuses other keys without a rule here. */
export function inputOfTool(properties: JsonObject, required: readonly string[] = ['thread_id']): JsonObject {
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

/** The output schema of a tool; later versions may add members. */
export function outputOfTool(properties: JsonObject, required: readonly string[] = ['thread_id']): JsonObject {
  return { type: 'object', properties, required };
}

export interface ToolServices {
  readonly engine: ServedEngine;
  readonly live: LiveThreads;
  readonly feeds: ThreadFeeds;
  readonly listeners: ClientListeners;
  readonly runs: TurnRuns;
  /** The folder of threads that start without one, and the base of relative paths. */
  readonly cwd: string;
  /** Applies to questions when the client cannot ask its user. */
  readonly onQuestion: OnQuestion;
}

/** `report`: the call answers with the question, and `thread_answer` answers that. */
export type OnQuestion = 'report' | 'decline';

export type ServedEngine = Pick<Engine, 'stored' | 'loadImage' | 'secretFor'>;
