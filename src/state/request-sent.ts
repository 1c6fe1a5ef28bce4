import type { Digester } from '../ports/digester.ts';
import type { Encoder, Prompt } from '../ports/prompt.ts';
import { defined } from '../protocol/defined.ts';
import type { TurnId } from '../protocol/ids.ts';
import type { Item } from '../protocol/item.ts';
import { type JsonObject, numberAt, stringAt } from '../protocol/json.ts';
import { type LineDraft, lineType } from '../protocol/line.ts';
import { inputOf } from './request.ts';
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
}

export function sentLine(
  state: Pick<ThreadState, 'posted'>,
  { turnId, step, auxiliary }: Pick<SentBody, 'turnId' | 'step' | 'auxiliary'>,
  { prompt, body }: { readonly prompt: Prompt; readonly body: readonly Uint8Array[] },
  { encoder, digester }: { readonly encoder: Encoder; readonly digester: Digester },
): LineDraft {
  const posted = state.posted?.encoder === encoder.version ? state.posted : undefined;
  const from = posted === undefined ? 0 : commonLength(inputOf(posted.history, posted.reader), prompt.input);
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
    ...defined({ auxiliary }),
  };
  return { type: lineType.sent, payload };
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
  return { ...body, ...defined({ auxiliary }) };
}

/** Objects are compared, not texts: where one was made anew, its digest is just written again. */
function commonLength(before: readonly Item[], now: readonly Item[]): number {
  const other = now.findIndex((item, index) => item !== before[index]);
  return other < 0 ? now.length : other;
}
