import { defined } from '../../protocol/defined.ts';
import type { Item } from '../../protocol/item.ts';
import { numberAt, objectAt } from '../../protocol/json.ts';
import type { Difference, Verdict } from '../../replay/compare.ts';
import type { InferredRequest, RebuiltFrame, RebuiltRequest } from '../../replay/rebuild.ts';
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
  /** As what it left over a WebSocket. */
  readonly frames?: readonly ReplayedFrame[];
  readonly result: Verdict['kind'];
  readonly first?: Difference;
}

export interface ReplayedFrame {
  readonly kind: 'full' | 'incremental';
  /** The id of the answer that it built on. */
  readonly previous?: string;
  readonly items: number;
  readonly bytes: number;
}

/** What was sent cannot be had from the file. */
export function isUnlike({ result }: ReplayedRequest): boolean {
  return result === 'different' || result === 'tools-missing';
}

export function replayedRequest(
  request: RebuiltRequest | InferredRequest,
  verdict: Verdict,
  { number, itemSize }: { readonly number: number; readonly itemSize: (item: Item) => number },
): ReplayedRequest {
  const { turn, line } = request;
  const { ordinal } = line;
  const result = defined({ result: verdict.kind, first: verdict.kind === 'different' ? verdict.first : undefined });
  if (request.kind === 'inferred') {
    const { turnId, model, input } = request;
    const bytes = sum(input.map((item) => itemSize(item) + 1)) + 1;
    return { ...defined({ number, turn, turnId, ordinal, model, items: input.length, bytes }), ...result };
  }
  const { record, prompt, encoded, sent, frames } = request;
  const kept = objectAt(objectAt(line.payload, 'prefix') ?? {}, 'kept') ?? {};
  const { turnId, step, encoder, toolSet } = record;
  return {
    ...defined({ number, turn, turnId, step, purpose: record.auxiliary?.purpose, ordinal }),
    model: record.options.model,
    encoder,
    toolSet,
    items: prompt.input.length,
    ...defined({
      bytes: encoded === undefined ? sent?.bytes : sum(encoded.body.map(({ length }) => length)),
      keptItems: numberAt(kept, 'items'),
      sha256: sent?.sha256,
      frames: frames.length === 0 ? undefined : frames.map(replayedFrame),
    }),
    ...result,
  };
}

function replayedFrame({ record: { previous, items, bytes } }: RebuiltFrame): ReplayedFrame {
  return { kind: previous === undefined ? 'full' : 'incremental', ...defined({ previous }), items, bytes };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
