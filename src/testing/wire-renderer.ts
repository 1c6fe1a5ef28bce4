import { arrayAt, isJsonObject, type JsonObject, stringAt } from '../protocol/json.ts';
import type { Usage } from '../protocol/usage.ts';
import type { AnswerOptions, CompactedStep, ItemDraft, MalformedStep, ScriptedUsage, StreamStep } from './script.ts';

/** One wire format; the request's path chooses it. All formats share a script: steps name items as Responses does. */
export interface WireRenderer {
  readonly endpoint: RegExp;
  events(step: RenderedStep, context: StreamContext): readonly Buffer[];
  /** The body of a step that answers in one piece. Absent: the format has no such endpoint. */
  whole?(step: CompactedStep, context: StreamContext): Buffer;
}

export type RenderedStep = Exclude<StreamStep, MalformedStep>;

export function renderStream(renderer: WireRenderer, step: StreamStep, context: StreamContext): readonly Buffer[] {
  if (step.kind !== 'malformed') return renderer.events(step, context);
  const events = renderer.events(step.of, context);
  // The malformed event comes after the opening and before the last event: the events after it must still arrive.
  return events.toSpliced(Math.floor(events.length / 2), 0, Buffer.from(`data: ${step.data}\n\n`));
}

export const encodeServerEvent = (event: JsonObject): Buffer =>
  Buffer.from(`event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`);

/** Options that only an answer has. */
export const answerOptions = (step: RenderedStep): Partial<AnswerOptions> => (step.kind === 'answer' ? step : {});
/** Returns `resp_1`, `msg_1`, `call_1`, … per server, so that two runs of a script give the same bytes. */
export type IdNumbering = (prefix: string) => string;

export function createIdNumbering(): IdNumbering {
  const counters = new Map<string, number>();
  return (prefix) => {
    const count = (counters.get(prefix) ?? 0) + 1;
    counters.set(prefix, count);
    return `${prefix}_${count}`;
  };
}

export type StreamContext = { readonly ids: IdNumbering; readonly usage: ScriptedUsage; readonly model?: string };

const idPrefixes: Readonly<Record<string, string>> = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  custom_tool_call: 'ctc',
  compaction: 'cmp',
};

/** Adds an `id`, and a `call_id` to calls. */
export function withIds(draft: ItemDraft, ids: IdNumbering): ItemDraft {
  const { type, id, ...rest } = draft;
  const isCall = type === 'function_call' || type === 'custom_tool_call';
  return {
    type,
    id: id ?? ids(idPrefixes[type] ?? 'item'),
    ...rest,
    ...(isCall && rest['call_id'] === undefined ? { call_id: ids('call') } : {}),
  };
}

export const draftTexts = (item: ItemDraft, key: string): readonly string[] =>
  (arrayAt(item, key) ?? []).map((part) => (isJsonObject(part) ? (stringAt(part, 'text') ?? '') : ''));

export const splitIntoWords = (text: string): readonly string[] => text.match(/\s*\S+|\s+$/g) ?? [];

/** The step's counts override the server's. If either is a word instead of counts, the step's value replaces all. */
export function scriptedCounts(own: ScriptedUsage | undefined, ofServer: ScriptedUsage): 'none' | 'null' | Usage {
  const given = own ?? ofServer;
  if (given === 'none' || given === 'null') return given;
  if (given === 'zero') return countsOf({ input: 0, cachedInput: 0, output: 0, reasoningOutput: 0 });
  return countsOf(typeof ofServer === 'string' ? given : { ...ofServer, ...given });
}

function countsOf(given: Partial<Usage>): Usage {
  const { input = 100, cachedInput = 20, cacheWriteInput = 0, output = 10, reasoningOutput = 3 } = given;
  return { input, cachedInput, cacheWriteInput, output, reasoningOutput, total: given.total ?? input + output };
}
