import type { RequestOptions } from '../../ports/model.ts';
import { ifAllDefined } from '../../base/objects.ts';
import type { TurnId } from '../../protocol/ids.ts';
import { asItem, type Item } from '../../protocol/item.ts';
import { arrayAt, type JsonObject, numberAt, objectAt, stringAt } from '../../protocol/json.ts';
import { type ProviderName, readProviderName } from '../../protocol/provider-name.ts';
import { readReviewRequest, type ReviewRequest } from './review-request.ts';

/** A `capstan_request` line: with the state at that line it determines every byte of the request. */
export interface RequestRecord {
  readonly turnId: TurnId;
  readonly step: number;
  readonly encoder: string;
  readonly toolSet: string;
  /** Modalities of the model; other content is sent as a word instead. */
  readonly modalities: readonly string[];
  readonly options: RequestOptions;
  /** The recipient: items that only another provider can read are left out. Older records left nothing out. */
  readonly provider?: ProviderName;
  readonly auxiliary?: AuxiliaryRequest;
}

/** A request beside the conversation: `head`, items `from` to `to` of a sampling request, and `tail`. */
export interface AuxiliaryRequest {
  readonly purpose: 'compaction' | 'review';
  readonly from: number;
  /** End of the range, exclusive. */
  readonly to: number;
  /** Positions, counted like `from`, of items sent as a short notice. */
  readonly stubbed: readonly number[];
  readonly head: readonly Item[];
  readonly tail: readonly Item[];
  /** For a review: its instructions replace the thread's, and its message is made from this. */
  readonly review?: ReviewRequest;
}

export type RequestReader = Pick<RequestRecord, 'modalities' | 'provider'>;
export const readerOf = ({ modalities, provider }: RequestRecord): RequestReader => ({ modalities, provider });

export function requestPayload(record: RequestRecord): JsonObject {
  const { turnId, step, encoder, toolSet, modalities, options, provider, auxiliary } = record;
  const made = { turn_id: turnId, step, encoder, tool_set: toolSet, modalities, options, provider, auxiliary };
  return made as unknown as JsonObject;
}

export function readRequestRecord(payload: JsonObject): RequestRecord | undefined {
  const modalities = arrayAt(payload, 'modalities')?.filter((name) => typeof name === 'string');
  const record = ifAllDefined({
    turnId: stringAt(payload, 'turn_id') as TurnId | undefined,
    step: numberAt(payload, 'step'),
    encoder: stringAt(payload, 'encoder'),
    toolSet: stringAt(payload, 'tool_set'),
    modalities: modalities ?? ['text', 'image'],
    options: objectAt(payload, 'options') as RequestOptions | undefined,
  });
  const provider = readProviderName(payload['provider']);
  return record && { ...record, provider, auxiliary: readAuxiliary(objectAt(payload, 'auxiliary')) };
}

function readAuxiliary(value: JsonObject | undefined): AuxiliaryRequest | undefined {
  if (value === undefined) return undefined;
  const items = (key: string): readonly Item[] => (arrayAt(value, key) ?? []).flatMap((member) => asItem(member) ?? []);
  const stubbed = (arrayAt(value, 'stubbed') ?? []).filter((place) => typeof place === 'number');
  const [from, to] = [numberAt(value, 'from') ?? 0, numberAt(value, 'to') ?? 0];
  const review = readReviewRequest(objectAt(value, 'review'));
  const purpose = review === undefined ? 'compaction' : 'review';
  return { purpose, from, to, stubbed, head: items('head'), tail: items('tail'), review };
}
