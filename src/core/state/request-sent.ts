import type { Digester, Encoder, Prompt, SentFrame } from '../../ports/model.ts';
import { defined } from '../../base/objects.ts';
import type { TurnId } from '../../protocol/ids.ts';
import type { Item } from '../../protocol/item.ts';
import { type JsonObject, numberAt, objectAt, stringAt } from '../../protocol/json.ts';
import { type LineDraft, lineType } from '../../protocol/line.ts';
import { requestInput } from './plan-request.ts';
import type { ThreadState } from './thread-state.ts';

/**
 * What a `capstan_sent` line says about the bytes of the request whose record stands before it. They are counted when
 * the request is on its way, so that the request does not wait for it.
 */
export interface SentBody {
  readonly turnId: TurnId;
  readonly step: number;
  readonly bytes: number;
  /** Of the whole body. */
  readonly sha256: string;
  /** Short digest of the instructions. */
  readonly instructions: string;
  /** Items of the input. */
  readonly items: number;
  /** So many items at the beginning are those of the `capstan_sent` line before. */
  readonly from: number;
  /** Short digests of the items after those. */
  readonly digests: readonly string[];
  /** Of a request beside the conversation: the next line does not count from it. */
  readonly auxiliary?: true;
  /** As what it left, if not as its body. */
  readonly frame?: FrameRecord;
}

/** A request as it left over a WebSocket: with the body it is enough to make the same bytes. */
export interface FrameRecord {
  /** The answer that it built on, which was remembered with the items before those that it holds. Absent: it is whole. */
  readonly previous?: string;
  /** Of the input, that it holds. */
  readonly items: number;
  readonly bytes: number;
  /** Short digest, of one that is not whole: the digest of the body says nothing about that. */
  readonly digest?: string;
}

type AboutSent = Pick<SentBody, 'turnId' | 'step' | 'auxiliary'>;

export function sentLine(
  state: Pick<ThreadState, 'posted'>,
  { turnId, step, auxiliary }: AboutSent,
  { prompt, body, frame }: SentRequestBytes,
  { encoder, digester }: { readonly encoder: Encoder; readonly digester: Digester },
): LineDraft {
  const posted = state.posted?.encoder === encoder.version ? state.posted : undefined;
  const from = posted === undefined ? 0 : commonLength(requestInput(posted.history, posted.reader), prompt.input);
  const digests = prompt.input.slice(from).map((item) => digester.short(encoder.item(item)));
  const payload = {
    turn_id: turnId,
    step,
    bytes: body.reduce((sum, piece) => sum + piece.length, 0),
    sha256: digester.body(body),
    instructions: instructionsDigest(prompt, digester),
    items: prompt.input.length,
    from,
    digests: digests.join(''),
    ...defined({ auxiliary, frame: frame && framePayload(frame, digester) }),
  };
  return { type: lineType.sent, payload };
}

interface SentRequestBytes {
  readonly prompt: Prompt;
  readonly body: readonly Uint8Array[];
  readonly frame?: SentFrame;
}

/** The same request left once more, as another frame. All else stands in the line before. */
export function sentAgainLine(
  { turnId, step, auxiliary }: AboutSent,
  frame: SentFrame,
  { digester }: { readonly digester: Digester },
): LineDraft {
  const payload = { turn_id: turnId, step, ...defined({ auxiliary }), frame: framePayload(frame, digester) };
  return { type: lineType.sent, payload };
}

function framePayload({ link, items, content }: SentFrame, digester: Digester): JsonObject {
  const bytes = content.reduce((sum, piece) => sum + piece.length, 0);
  if (link === undefined) return { kind: 'full', items, bytes };
  const digest = frameDigest(content, digester);
  return { kind: 'incremental', previous: link.previous, items, bytes, digest };
}

export function frameDigest(content: readonly Uint8Array[], digester: Digester): string {
  const whole = new Uint8Array(content.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of content) {
    whole.set(piece, at);
    at += piece.length;
  }
  return digester.short(whole);
}

/** What a line says about a frame; undefined when it says nothing, or nothing that can be read. */
export function readFrame(payload: JsonObject): FrameRecord | undefined {
  const frame = objectAt(payload, 'frame');
  const [items, bytes] = [numberAt(frame, 'items'), numberAt(frame, 'bytes')];
  if (items === undefined || bytes === undefined) return undefined;
  return { items, bytes, ...defined({ previous: stringAt(frame, 'previous'), digest: stringAt(frame, 'digest') }) };
}

export function instructionsDigest({ instructions }: Pick<Prompt, 'instructions'>, digester: Digester): string {
  return digester.short(new TextEncoder().encode(instructions));
}

export function readSent(payload: JsonObject): SentBody | undefined {
  const [turnId, step, bytes] = [stringAt(payload, 'turn_id'), numberAt(payload, 'step'), numberAt(payload, 'bytes')];
  const [sha256, instructions] = [stringAt(payload, 'sha256'), stringAt(payload, 'instructions')];
  const [items, from, digests] = [numberAt(payload, 'items'), numberAt(payload, 'from'), stringAt(payload, 'digests')];
  if (turnId === undefined || step === undefined || bytes === undefined || sha256 === undefined) return undefined;
  if (instructions === undefined || items === undefined || from === undefined || digests === undefined)
    return undefined;
  const each = digests.match(/.{8}/g) ?? [];
  const auxiliary = payload['auxiliary'] === true || undefined;
  const body = { turnId: turnId as TurnId, step, bytes, sha256, instructions, items, from, digests: each };
  return { ...body, ...defined({ auxiliary, frame: readFrame(payload) }) };
}

/** Objects are compared, not texts: where one was made anew, its digest is just written again. */
function commonLength(before: readonly Item[], now: readonly Item[]): number {
  const other = now.findIndex((item, index) => item !== before[index]);
  return other < 0 ? now.length : other;
}
