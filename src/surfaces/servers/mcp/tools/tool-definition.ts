import type { Engine } from '../../../../engine/engine.ts';
import type { LiveThreads } from '../../../../engine/live/live-thread-types.ts';
import type { JsonObject } from '../../../../protocol/json.ts';
import type { ClientListeners, ThreadFeeds } from '../client-listeners.ts';
import type { TurnRuns } from './turn-runs.ts';

/** Parts of JSON Schemas. They are short: the list of tools fills the window of the host. */

export const booleanSchema: JsonObject = { type: 'boolean' };
export const objectSchema: JsonObject = { type: 'object' };
export const textListSchema: JsonObject = { type: 'array', items: { type: 'string' } };
/** Of objects; what they hold is in the documentation. */
export const objectListSchema: JsonObject = { type: 'array' };

export function textSchema(description?: string): JsonObject {
  return { type: 'string', ...(description !== undefined && { description }) };
}

export function choiceSchema(...choices: readonly string[]): JsonObject {
  return { type: 'string', enum: choices };
}

/** A whole number that is not negative. */
export function wholeNumberSchema(description?: string, minimum = 0): JsonObject {
  return { type: 'integer', minimum, ...(description !== undefined && { description }) };
}

/** What a tool takes. The wire refuses other keys without being told here. */
export function inputOfTool(properties: JsonObject, required: readonly string[] = ['thread_id']): JsonObject {
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

/** What a tool gives; more may come with later versions. */
export function outputOfTool(properties: JsonObject, required: readonly string[] = ['thread_id']): JsonObject {
  return { type: 'object', properties, required };
}

/** What the tools of the server share. */
export interface ToolServices {
  readonly engine: ServedEngine;
  readonly live: LiveThreads;
  readonly feeds: ThreadFeeds;
  readonly listeners: ClientListeners;
  readonly runs: TurnRuns;
  /** Where threads start that name no folder; relative paths start there. */
  readonly cwd: string;
  /** What becomes of a question when the client cannot ask its user. */
  readonly onQuestion: OnQuestion;
}

/** `report`: the call answers with the question, and `thread_answer` answers that. */
export type OnQuestion = 'report' | 'decline';

/** As much of the engine as the server uses beside live threads. */
export type ServedEngine = Pick<Engine, 'stored' | 'loadImage' | 'secretFor'>;
