import type { Digester, Encoder } from '../../ports/model.ts';
import { defined } from '../../base/objects.ts';
import type { Item } from '../../protocol/item.ts';
import { stringAt } from '../../protocol/json.ts';
import { isToolSetName } from '../state/plan-request.ts';
import { frameDigest, instructionsDigest, type SentBody } from '../state/request-sent.ts';
import type { InferredRequest, RebuiltFrame, RebuiltRequest } from './rebuild-requests.ts';

/** How a rebuilt request compares with the one that was sent. */
export type Verdict =
  | { readonly kind: 'same' }
  | { readonly kind: 'different'; readonly first: Difference }
  /** The bytes were made by an encoder that this program does not have. */
  | { readonly kind: 'other-encoder'; readonly version: string }
  /** The tools that it offered are lost: the bytes cannot be made. */
  | { readonly kind: 'tools-missing'; readonly toolSet: string }
  /** Nothing was written down about the bytes. */
  | { readonly kind: 'not-recorded' }
  /** Of another program, which writes nothing down about its requests. */
  | { readonly kind: 'inferred' };

/** The first part of the body that is another. */
export type Difference =
  | { readonly part: 'instructions' }
  | { readonly part: 'tools'; readonly toolSet: string }
  | {
      readonly part: 'item';
      /** In the input, from 0. */
      readonly index: number;
      /** `missing`: it was sent and is not in the file. `added`: it is in the file and was not sent. */
      readonly what: 'changed' | 'missing' | 'added';
      /** Of the item that the file has there. */
      readonly id?: string;
      readonly type?: string;
      readonly sentDigest?: string;
      readonly digest?: string;
    }
  /** Model, effort, labels and the like: all else is the same. */
  | { readonly part: 'options' }
  /** The body is the same, and what left over the WebSocket for it is not. Counted from 0. */
  | { readonly part: 'frame'; readonly index: number };

/** Compares the requests of one thread, which must be given in order: each record says only what is new to it. */
export function createComparison(digester: Digester): (request: RebuiltRequest | InferredRequest) => Verdict {
  /** A thread may have changed its wire format: an item has a digest for each. */
  const known = new WeakMap<Encoder, WeakMap<Item, string>>();
  /** Digests of the items of the newest body that was written down. Where one was lost there is a hole. */
  let sentItems: readonly (string | undefined)[] = [];

  function digestOf(item: Item, encoder: Encoder): string {
    const byItem = known.get(encoder) ?? new WeakMap<Item, string>();
    known.set(encoder, byItem);
    const digest = byItem.get(item) ?? digester.short(encoder.item(item));
    byItem.set(item, digest);
    return digest;
  }

  function differenceOf(
    { prompt, record }: RebuiltRequest,
    sent: SentBody,
    items: readonly (string | undefined)[],
    encoder: Encoder,
  ): Difference {
    if (instructionsDigest(prompt, digester) !== sent.instructions) return { part: 'instructions' };
    if (prompt.tools === undefined || !isToolSetName(record.toolSet, prompt.tools))
      return { part: 'tools', toolSet: record.toolSet };
    return firstDifferentItem(prompt.input, items, (item) => digestOf(item, encoder)) ?? { part: 'options' };
  }

  function itemsOf({ from, items, digests }: SentBody): readonly (string | undefined)[] {
    return [...Array.from({ length: Math.min(from, items) }, (_, index) => sentItems[index]), ...digests];
  }

  return (request) => {
    if (request.kind === 'inferred') return { kind: 'inferred' };
    const { sent, encoded, record, prompt } = request;
    const items = sent === undefined ? [] : itemsOf(sent);
    if (sent !== undefined && sent.auxiliary === undefined) sentItems = items;
    if (prompt.tools === undefined) return { kind: 'tools-missing', toolSet: record.toolSet };
    if (encoded === undefined) return { kind: 'other-encoder', version: record.encoder };
    if (sent === undefined) return { kind: 'not-recorded' };
    if (digester.body(encoded.body) === sent.sha256) {
      const other = request.frames.findIndex((frame) => !isSameFrame(frame, digester));
      return other === -1 ? { kind: 'same' } : { kind: 'different', first: { part: 'frame', index: other } };
    }
    return { kind: 'different', first: differenceOf(request, sent, items, encoded.encoder) };
  };
}

/** A whole one has no digest of its own: its content is the body. */
function isSameFrame({ record, content }: RebuiltFrame, digester: Digester): boolean {
  if (content === undefined) return false;
  const bytes = content.reduce((sum, piece) => sum + piece.length, 0);
  if (bytes !== record.bytes) return false;
  return record.previous === undefined || frameDigest(content, digester) === record.digest;
}

function firstDifferentItem(
  items: readonly Item[],
  sent: readonly (string | undefined)[],
  digestOf: (item: Item) => string,
): Difference | undefined {
  for (let index = 0; index < Math.max(items.length, sent.length); index++) {
    const item = items[index];
    const [digest, sentDigest] = [item === undefined ? undefined : digestOf(item), sent[index]];
    if (digest === sentDigest || (sentDigest === undefined && index < sent.length)) continue;
    const next = items[index + 1];
    const isMissing = item === undefined || (sent[index + 1] !== undefined && digest === sent[index + 1]);
    const isAdded = sentDigest === undefined || (next !== undefined && digestOf(next) === sentDigest);
    const what = isMissing ? 'missing' : isAdded ? 'added' : 'changed';
    const shown = isMissing ? {} : { id: stringAt(item, 'id'), type: item.type };
    return { part: 'item', index, what, ...defined({ ...shown, sentDigest, digest: isMissing ? undefined : digest }) };
  }
  return undefined;
}
