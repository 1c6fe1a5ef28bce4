import type { RequestOptions } from '../ports/prompt.ts';
import type { TurnId } from '../protocol/ids.ts';
import { arrayAt, type JsonObject, numberAt, objectAt, stringAt } from '../protocol/json.ts';

/** What a `capstan_request` line says: with the state at that line it determines every byte of the request. */
export interface RequestRecord {
  readonly turnId: TurnId;
  readonly step: number;
  /** Version of the encoder that made the bytes. */
  readonly encoder: string;
  readonly toolSet: string;
  /** What the model can take in; the rest is sent as a word in its place. */
  readonly modalities: readonly string[];
  readonly options: RequestOptions;
}

export function requestPayload({ turnId, step, encoder, toolSet, modalities, options }: RequestRecord): JsonObject {
  return {
    turn_id: turnId,
    step,
    encoder,
    tool_set: toolSet,
    modalities,
    options: options as unknown as JsonObject,
  };
}

export function readRequest(payload: JsonObject): RequestRecord | undefined {
  const [turnId, step] = [stringAt(payload, 'turn_id'), numberAt(payload, 'step')];
  const [encoder, toolSet] = [stringAt(payload, 'encoder'), stringAt(payload, 'tool_set')];
  const options = objectAt(payload, 'options');
  if (turnId === undefined || step === undefined || encoder === undefined || toolSet === undefined) return undefined;
  if (options === undefined) return undefined;
  const modalities = arrayAt(payload, 'modalities')?.filter((name) => typeof name === 'string') ?? ['text', 'image'];
  return {
    turnId: turnId as TurnId,
    step,
    encoder,
    toolSet,
    modalities,
    options: options as unknown as RequestOptions,
  };
}
