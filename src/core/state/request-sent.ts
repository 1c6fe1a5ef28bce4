import type { RequestDigester, Encoder, ModelPrompt, SentFrame } from '../../ports/model.ts';
import { ifAllDefined } from '../../base/objects.ts';
import type { TurnId } from '../../protocol/ids.ts';
import { type JsonObject, numberAt, objectAt, stringAt, trueAt } from '../../protocol/json.ts';
import { type LineDraft, lineType } from '../../protocol/line.ts';
import { historyAsRequestInput } from './plan-request.ts';
import type { ThreadState } from './thread-state.ts';

/** A `capstan_sent` line: bytes of the last recorded request, counted once it is on its way. */
export interface SentBody {
  readonly turnId: TurnId;
  readonly step: number;
  readonly bytes: number;
  readonly sha256: string;
  readonly instructions: string;
  readonly items: number;
  /** Number of first items shared with the previous `capstan_sent` line. */
  readonly from: number;
  readonly digests: readonly string[];
  /** The request is beside the conversation: the next line does not count from it. */
  readonly auxiliary?: true;
  readonly frame?: FrameRecord;
}

/** A request as sent over a WebSocket: together with the body it determines the bytes. */
export interface FrameRecord {
  /** The answer that it builds on, which the server remembers. Absent: the frame is complete. */
  readonly previous?: string;
  readonly items: number;
  readonly bytes: number;
  /** Short digest of a partial frame, which the digest of the body does not cover. */
  readonly digest?: string;
}

type AboutSent = Pick<SentBody, 'turnId' | 'step' | 'auxiliary'>;
type SentBy = { readonly encoder: Encoder; readonly digester: RequestDigester };

export function sentLine(
  state: Pick<ThreadState, 'posted'>,
  { turnId, step, auxiliary }: AboutSent,
  { prompt, body, frame }: SentRequestBytes,
  { encoder, digester }: SentBy,
): LineDraft {
  const posted = state.posted?.encoder === encoder.version ? state.posted : undefined;
  const before = posted && historyAsRequestInput(posted.history, posted.reader);
  // Compares objects, not texts: a recreated item just gets its digest written again.
  const other = before === undefined ? 0 : prompt.input.findIndex((item, index) => item !== before[index]);
  const from = other < 0 ? prompt.input.length : other;
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
    auxiliary,
    frame: frame && framePayload(frame, digester),
  };
  return { type: lineType.sent, payload };
}

type SentRequestBytes = {
  readonly prompt: ModelPrompt;
  readonly body: readonly Uint8Array[];
  readonly frame?: SentFrame;
};

/** Records that the same request was sent again as another frame. All else is in the line before. */
export function sentAgainLine(about: AboutSent, frame: SentFrame, { digester }: SentBy): LineDraft {
  const { turnId, step, auxiliary } = about;
  return { type: lineType.sent, payload: { turn_id: turnId, step, auxiliary, frame: framePayload(frame, digester) } };
}

function framePayload({ link, items, content }: SentFrame, digester: RequestDigester): JsonObject {
  const bytes = content.reduce((sum, piece) => sum + piece.length, 0);
  if (link === undefined) return { kind: 'full', items, bytes };
  return { kind: 'incremental', previous: link.previous, items, bytes, digest: frameDigest(content, digester) };
}

export const frameDigest = (content: readonly Uint8Array[], digester: RequestDigester): string =>
  digester.short(Buffer.concat(content));

export function readFrame(payload: JsonObject): FrameRecord | undefined {
  const frame = objectAt(payload, 'frame');
  const counts = ifAllDefined({ items: numberAt(frame, 'items'), bytes: numberAt(frame, 'bytes') });
  return counts && { ...counts, previous: stringAt(frame, 'previous'), digest: stringAt(frame, 'digest') };
}

export const instructionsDigest = (
  { instructions }: Pick<ModelPrompt, 'instructions'>,
  digester: RequestDigester,
): string => digester.short(new TextEncoder().encode(instructions));

export function readSentBody(payload: JsonObject): SentBody | undefined {
  const body = ifAllDefined({
    turnId: stringAt(payload, 'turn_id') as TurnId | undefined,
    step: numberAt(payload, 'step'),
    bytes: numberAt(payload, 'bytes'),
    sha256: stringAt(payload, 'sha256'),
    instructions: stringAt(payload, 'instructions'),
    items: numberAt(payload, 'items'),
    from: numberAt(payload, 'from'),
    digests: stringAt(payload, 'digests'),
  });
  const auxiliary = trueAt(payload, 'auxiliary');
  return body && { ...body, digests: body.digests.match(/.{8}/g) ?? [], auxiliary, frame: readFrame(payload) };
}
