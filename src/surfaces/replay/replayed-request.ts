import { defined } from '../../protocol/defined.ts';
import type { Item } from '../../protocol/item.ts';
import { numberAt, objectAt } from '../../protocol/json.ts';
import type { Difference, Verdict } from '../../replay/compare.ts';
import type { InferredRequest, RebuiltRequest } from '../../replay/rebuild.ts';
import type { Auxiliary } from '../../state/request-record.ts';

/** What is reported about one request. */
export interface ReplayedRequest {
  readonly number: number;
  /** The number of its turn in the thread, from 1. */
  readonly turn: number;
  readonly turnId?: string;
  readonly step?: number;
  /** Only of a request beside the conversation, which was made before its step. */
  readonly purpose?: Auxiliary['purpose'];
  readonly ordinal?: number;
  readonly model?: string;
  readonly encoder?: string;
  readonly toolSet?: string;
  /** Of the input. */
  readonly items: number;
  /** Of the body; of the input alone where no more is known. */
  readonly bytes?: number;
  /** Items that the provider could take from its cache. */
  readonly keptItems?: number;
  /** Of the body that was sent. */
  readonly sha256?: string;
  readonly result: Verdict['kind'];
  readonly first?: Difference;
}

export function replayedRequest(
  request: RebuiltRequest | InferredRequest,
  verdict: Verdict,
  { number, itemBytes }: { readonly number: number; readonly itemBytes: (item: Item) => Uint8Array },
): ReplayedRequest {
  const { turn, line } = request;
  const result = { result: verdict.kind, ...(verdict.kind === 'different' ? { first: verdict.first } : {}) };
  const place = line.ordinal === undefined ? {} : { ordinal: line.ordinal };
  if (request.kind === 'inferred') {
    const { turnId, model, input } = request;
    return {
      number,
      turn,
      ...defined({ turnId }),
      ...place,
      ...defined({ model }),
      items: input.length,
      bytes: sum(input.map((item) => itemBytes(item).length + 1)) + 1,
      ...result,
    };
  }
  const { record, prompt, encoded, sent } = request;
  const prefix = objectAt(line.payload, 'prefix');
  const kept = prefix === undefined ? undefined : objectAt(prefix, 'kept');
  const keptItems = kept === undefined ? undefined : numberAt(kept, 'items');
  const bytes = encoded === undefined ? sent?.bytes : sum(encoded.body.map(({ length }) => length));
  return {
    number,
    turn,
    turnId: record.turnId,
    step: record.step,
    ...(record.auxiliary === undefined ? {} : { purpose: record.auxiliary.purpose }),
    ...place,
    model: record.options.model,
    encoder: record.encoder,
    toolSet: record.toolSet,
    items: prompt.input.length,
    ...defined({ bytes, keptItems }),
    ...(sent === undefined ? {} : { sha256: sent.sha256 }),
    ...result,
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
