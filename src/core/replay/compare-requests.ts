import type { RequestDigester, Encoder } from '../../ports/model.ts';
import { cachePerObject, defined } from '../../base/objects.ts';
import type { Item } from '../../protocol/item.ts';
import { stringAt } from '../../protocol/json.ts';
import { isToolSetName } from '../state/plan-request.ts';
import { frameDigest, instructionsDigest, type SentBody } from '../state/request-sent.ts';
import type { InferredRequest, RebuiltFrame, RebuiltRequest } from './rebuild-requests.ts';

export type ComparisonVerdict =
  | { readonly kind: 'same' }
  | { readonly kind: 'different'; readonly first: RequestDifference }
  /** This program does not have the encoder that made the bytes. */
  | { readonly kind: 'other-encoder'; readonly version: string }
  /** The request's tools are lost, so the bytes cannot be made. */
  | { readonly kind: 'tools-missing'; readonly toolSet: string }
  | { readonly kind: 'not-recorded' }
  /** From another program, which records nothing about its requests. */
  | { readonly kind: 'inferred' };

export type RequestDifference =
  | { readonly part: 'instructions' }
  | { readonly part: 'tools'; readonly toolSet: string }
  | {
      readonly part: 'item';
      /** Position in the input, from 0. */
      readonly index: number;
      /** `missing`: sent, but not in the file. `added`: in the file, but not sent. */
      readonly what: 'changed' | 'missing' | 'added';
      readonly id?: string;
      readonly type?: string;
      readonly sentDigest?: string;
      readonly digest?: string;
    }
  /** Only model, effort, labels and the like differ. */
  | { readonly part: 'options' }
  /** The body is the same, but a WebSocket frame for it differs. `index` counts frames from 0. */
  | { readonly part: 'frame'; readonly index: number };

/** Compares the requests of one thread. They must be given in order: each record holds only its additions. */
export function createRequestComparison(
  digester: RequestDigester,
): (request: RebuiltRequest | InferredRequest) => ComparisonVerdict {
  /** A thread may have changed its wire format: an item has a digest for each. */
  const digestsFor = cachePerObject((encoder: Encoder) =>
    cachePerObject((item: Item) => digester.short(encoder.item(item))),
  );
  /** Digests of the items of the newest recorded body, with holes for lost ones. */
  let sentItems: readonly (string | undefined)[] = [];

  function differenceOf(
    { prompt, record }: RebuiltRequest,
    sent: SentBody,
    items: readonly (string | undefined)[],
    encoder: Encoder,
  ): RequestDifference {
    if (instructionsDigest(prompt, digester) !== sent.instructions) return { part: 'instructions' };
    if (prompt.tools === undefined || !isToolSetName(record.toolSet, prompt.tools))
      return { part: 'tools', toolSet: record.toolSet };
    return firstDifferentItem(prompt.input, items, digestsFor(encoder)) ?? { part: 'options' };
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

/** A complete frame has no digest of its own: its content is the body. */
function isSameFrame({ record, content }: RebuiltFrame, digester: RequestDigester): boolean {
  if (content === undefined) return false;
  if (content.reduce((sum, piece) => sum + piece.length, 0) !== record.bytes) return false;
  return record.previous === undefined || frameDigest(content, digester) === record.digest;
}

function firstDifferentItem(
  items: readonly Item[],
  sent: readonly (string | undefined)[],
  digestOf: (item: Item) => string,
): RequestDifference | undefined {
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
