import { isJsonObject, arrayAt, stringAt } from '../protocol/json.ts';
import type { Usage } from '../protocol/usage.ts';
import type { CompactedStep, ItemDraft, ScriptedUsage, StreamStep } from './script.ts';

/**
 * How one wire format writes what a script says. There is one script for all formats: a step names items in the
 * Responses dialect and faults, and the path of a request chooses the renderer (`scripted-model.ts`).
 */
export interface WireRenderer {
  /** The paths that it answers. */
  readonly endpoint: RegExp;
  /** The events of a step, each as the bytes that go over the wire. */
  events(step: StreamStep, context: StreamContext): readonly Buffer[];
  /** The body of a step that answers in one piece. Absent: the format has no such endpoint. */
  whole?(step: CompactedStep, context: StreamContext): Buffer;
}

/** Gives out `resp_1`, `msg_1`, `call_1`, … per server, so that two runs of a script give the same bytes. */
export type Numbering = (prefix: string) => string;

export function numbering(): Numbering {
  const counters = new Map<string, number>();
  return (prefix) => {
    const count = (counters.get(prefix) ?? 0) + 1;
    counters.set(prefix, count);
    return `${prefix}_${count}`;
  };
}

export interface StreamContext {
  readonly ids: Numbering;
  readonly usage: ScriptedUsage;
  /** The model that the request asks for. */
  readonly model?: string;
}

const idPrefixes: Readonly<Record<string, string>> = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  custom_tool_call: 'ctc',
  compaction: 'cmp',
};

/** The item with an `id`, and a `call_id` if it is a call. */
export function withIds(draft: ItemDraft, ids: Numbering): ItemDraft {
  const { type, id, ...rest } = draft;
  const isCall = type === 'function_call' || type === 'custom_tool_call';
  return {
    type,
    id: id ?? ids(idPrefixes[type] ?? 'item'),
    ...rest,
    ...(isCall && rest['call_id'] === undefined ? { call_id: ids('call') } : {}),
  };
}

/** The texts of the parts under a key. */
export function draftTexts(item: ItemDraft, key: string): readonly string[] {
  return (arrayAt(item, key) ?? []).map((part) => (isJsonObject(part) ? (stringAt(part, 'text') ?? '') : ''));
}

/** The pieces in which a text is streamed word by word. */
export function streamedWords(text: string): readonly string[] {
  return text.match(/\s*\S+|\s+$/g) ?? [];
}

/** The step's own counts over those of the server; a word in either stands for all of them, the step's first. */
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
