import type { Engine } from '../../../../engine/engine.ts';
import type { LiveThreads } from '../../../../engine/live/live-thread-types.ts';
import type { JsonObject } from '../../../../protocol/json.ts';
import type { ClientListeners, ThreadFeeds } from '../client-listeners.ts';
import type { CallContext, ServerTool } from '../server-interface.ts';
import type { TurnRuns } from './turn-runs.ts';

const kinds = {
  text: { type: 'string' },
  boolean: { type: 'boolean' },
  count: { type: 'integer', minimum: 0 },
  integer: { type: 'integer' },
  object: { type: 'object' },
  texts: { type: 'array', items: { type: 'string' } },
  /** A list of objects; their contents are documented elsewhere. */
  list: { type: 'array' },
} as const;

type Properties = JsonObject | string;

/** Parts of JSON Schemas. They are short: the list of tools fills the host's context window. */
export const schemaParts = {
  ...kinds,
  text: (description: string): JsonObject => ({ type: 'string', description }),
  choice: (...choices: readonly string[]): JsonObject => ({ type: 'string', enum: choices }),
  wholeNumber: (description: string, minimum: number): JsonObject => ({ type: 'integer', minimum, description }),
  /** Properties without a description, in this order. Without a kind they are texts: `thread_id, turns: list`. */
  fields: (names: string): JsonObject => {
    const fields = names.split(', ').map((name) => name.split(': ') as [string, keyof typeof kinds | undefined]);
    return Object.fromEntries(fields.map(([name, kind = 'text']) => [name, kinds[kind]]));
  },
  /** The input of a tool. The wire refuses other keys without a rule here. */
  input: (properties: Properties, required: readonly string[] = ['thread_id']): JsonObject => {
    return { type: 'object', properties: asFields(properties), ...(required.length > 0 && { required }) };
  },
  /** The output of a tool; later versions may add members. */
  output: (properties: Properties, required: readonly string[] = ['thread_id']): JsonObject => {
    return { type: 'object', properties: asFields(properties), required };
  },
};

const asFields = (properties: Properties): JsonObject =>
  typeof properties === 'string' ? schemaParts.fields(properties) : properties;

/** A tool without the services of the server that calls it. */
export interface UnboundTool extends Omit<ServerTool, 'call'> {
  call(parts: ToolServices, args: JsonObject, context: CallContext): ReturnType<ServerTool['call']>;
}

export function bindToolServices(row: UnboundTool, parts: ToolServices): ServerTool {
  return { ...row, call: (args, context) => row.call(parts, args, context) };
}

export const readOnlyHints = { readOnlyHint: true, idempotentHint: true } as const;

export interface ToolServices {
  readonly engine: ServedEngine;
  readonly live: LiveThreads;
  readonly feeds: ThreadFeeds;
  readonly listeners: ClientListeners;
  readonly runs: TurnRuns;
  /** The folder of threads that start without one, and the base of relative paths. */
  readonly cwd: string;
  /** Applies to questions when the client cannot ask its user. */
  readonly onQuestion: QuestionHandling;
}

/** `report`: the call answers with the question, and `thread_answer` answers that. */
export type QuestionHandling = 'report' | 'decline';
export type ServedEngine = Pick<Engine, 'stored' | 'loadImage' | 'secretFor'>;
