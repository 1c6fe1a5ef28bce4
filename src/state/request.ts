import { project } from '../history/project.ts';
import type { Prompt, RequestOptions, ToolSpec } from '../ports/prompt.ts';
import type { TurnId } from '../protocol/ids.ts';
import { isJsonObject, type JsonObject, numberAt, objectAt, stringAt } from '../protocol/json.ts';
import { type LineDraft, lineType } from '../protocol/line.ts';
import { hex, sha1 } from '../protocol/sha1.ts';
import type { ThreadState } from './thread-state.ts';

/** What a `capstan_request` line says: with the state at that line it determines every byte of the request. */
export interface RequestRecord {
  readonly turnId: TurnId;
  readonly step: number;
  /** Version of the encoder that made the bytes. */
  readonly encoder: string;
  readonly toolSet: string;
  readonly options: RequestOptions;
}

/** The lines that must be durable before the request is sent: the tools, if the thread has not had them yet, and the record. */
export function requestDrafts(
  state: ThreadState,
  record: Omit<RequestRecord, 'toolSet'>,
  tools: readonly ToolSpec[],
): readonly LineDraft[] {
  const name = toolSetName(tools);
  const request: LineDraft = {
    type: lineType.request,
    payload: {
      turn_id: record.turnId,
      step: record.step,
      encoder: record.encoder,
      tool_set: name,
      options: record.options as unknown as JsonObject,
    },
  };
  if (state.toolSets.has(name)) return [request];
  return [{ type: lineType.toolSet, payload: { name, tools } }, request];
}

export function readRequest(payload: JsonObject): RequestRecord | undefined {
  const [turnId, step] = [stringAt(payload, 'turn_id'), numberAt(payload, 'step')];
  const [encoder, toolSet] = [stringAt(payload, 'encoder'), stringAt(payload, 'tool_set')];
  const options = objectAt(payload, 'options');
  if (turnId === undefined || step === undefined || encoder === undefined || toolSet === undefined) return undefined;
  if (options === undefined) return undefined;
  return { turnId: turnId as TurnId, step, encoder, toolSet, options: options as unknown as RequestOptions };
}

/** The request that the record stands for. The live thread sends it, replay rebuilds it: there is no other way to make one. */
export function promptFor(state: ThreadState, record: RequestRecord): Prompt {
  return {
    options: record.options,
    instructions: baseText(state.meta),
    tools: state.toolSets.get(record.toolSet) ?? [],
    input: project(state.history),
  };
}

function baseText(meta: JsonObject): string {
  const base = meta['base_instructions'];
  return isJsonObject(base) ? (stringAt(base, 'text') ?? '') : '';
}

const names = new WeakMap<readonly ToolSpec[], string>();

/** Equal tools have equal names. */
function toolSetName(tools: readonly ToolSpec[]): string {
  const known = names.get(tools);
  if (known !== undefined) return known;
  const name = hex(sha1(new TextEncoder().encode(JSON.stringify(tools))));
  names.set(tools, name);
  return name;
}
