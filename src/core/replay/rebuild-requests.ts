import { isModelMade } from '../history/entry.ts';
import type { Encoder, ModelPrompt } from '../../ports/model.ts';
import type { TurnId } from '../../protocol/ids.ts';
import { type JsonObject, stringAt } from '../../protocol/json.ts';
import { type Line, lineType } from '../../protocol/line.ts';
import { reduce } from '../state/reduce.ts';
import { hasTools, historyAsRequestInput, promptFor, promptWithoutTools } from '../state/plan-request.ts';
import { readRequestRecord, type RequestRecord } from '../state/request-record.ts';
import { type FrameRecord, readFrame, readSentBody, type SentBody } from '../state/request-sent.ts';
import { emptyThreadState, type ThreadState } from '../state/thread-state.ts';
import { foldTurnWithoutWords, noTurns } from '../state/turns/turn-log.ts';

/** A sent request, rebuilt from the rollout alone. */
export interface RebuiltRequest {
  readonly kind: 'rebuilt';
  /** Turn number in the thread, from 1, counting turns that were taken back. */
  readonly turn: number;
  readonly record: RequestRecord;
  readonly line: Line;
  readonly state: ThreadState;
  /** Without tools if they are lost. */
  readonly prompt: Omit<ModelPrompt, 'tools'> & Partial<Pick<ModelPrompt, 'tools'>>;
  /** Absent without an encoder of the recorded version, or if the tools are lost. */
  readonly encoded?: { readonly encoder: Encoder; readonly body: readonly Uint8Array[] };
  /** Record of the bytes; absent if the process ended before it was saved, or was an older version. */
  readonly sent?: SentBody;
  /** Frames sent instead of the body: mostly one, and another if the server refused the first. */
  readonly frames: readonly RebuiltFrame[];
}

export interface RebuiltFrame {
  readonly record: FrameRecord;
  /** Absent if the request's body is absent: then Capstan cannot make the frame either. */
  readonly content?: readonly Uint8Array[];
}

/** A request of another program, which leaves no records: only its input is known. */
export interface InferredRequest {
  readonly kind: 'inferred';
  readonly turn: number;
  readonly turnId?: TurnId;
  readonly model?: string;
  readonly line: Line;
  readonly input: ModelPrompt['input'];
}

/** All requests of the thread, in order. Without an encoder for a turn, its requests have no bytes. */
export async function* rebuildRequests(
  lines: AsyncIterable<Line> | Iterable<Line>,
  encoderFor: (version: string, turn: number) => Encoder | undefined,
): AsyncGenerator<RebuiltRequest | InferredRequest> {
  let state = emptyThreadState;
  let log = noTurns;
  let rebuilt: RebuiltRequest | undefined;
  let isAnswering = false;
  for await (const line of lines) {
    const before = state;
    state = reduce(before, line);
    log = foldTurnWithoutWords(log, line);
    // Turns that were taken back did send requests, and keep their numbers.
    const turn = log.began;
    const record = line.type === lineType.request ? readRequestRecord(line.payload) : undefined;
    if (record !== undefined) {
      if (rebuilt !== undefined) yield rebuilt;
      rebuilt = rebuild({ state, turn, line, record }, encoderFor(record.encoder, turn));
    }
    if (line.type === lineType.sent && rebuilt !== undefined) rebuilt = withSent(rebuilt, line.payload);
    // Other programs count tokens once an answer is complete.
    if (line.type === lineType.event && line.payload['type'] === 'token_count') isAnswering = false;
    const hasGrown = line.type === lineType.responseItem && state.history.length === before.history.length + 1;
    const entry = hasGrown ? state.history.storage[before.history.length] : undefined;
    if (entry === undefined) continue;
    // Our entries name their turn, and their requests have records.
    if (isModelMade(entry) && entry.turn === undefined && !isAnswering) {
      if (rebuilt !== undefined) yield rebuilt;
      rebuilt = undefined;
      yield infer(before, line, turn);
    }
    isAnswering = isModelMade(entry);
  }
  if (rebuilt !== undefined) yield rebuilt;
}

type Asked = Pick<RebuiltRequest, 'turn' | 'line' | 'record' | 'state'>;

function rebuild(asked: Asked, encoder: Encoder | undefined): RebuiltRequest {
  const { record, state } = asked;
  const place = { kind: 'rebuilt', frames: [], ...asked } as const;
  if (!hasTools(state, record)) return { ...place, prompt: promptWithoutTools(state, record) };
  const prompt = promptFor(state, record);
  return { ...place, prompt, encoded: encoder && { encoder, body: encoder.body(prompt) } };
}

function withSent(rebuilt: RebuiltRequest, payload: JsonObject): RebuiltRequest {
  const { turnId, step } = rebuilt.record;
  if (payload['turn_id'] !== turnId || payload['step'] !== step) return rebuilt;
  const sent = rebuilt.sent ?? readSentBody(payload);
  const frame = readFrame(payload);
  const frames = frame === undefined ? rebuilt.frames : [...rebuilt.frames, rebuildFrame(rebuilt, frame)];
  return { ...rebuilt, frames, sent };
}

function rebuildFrame({ prompt, encoded }: RebuiltRequest, record: FrameRecord): RebuiltFrame {
  const { tools, input } = prompt;
  if (tools === undefined || encoded === undefined) return { record };
  const { previous, items } = record;
  const link = previous === undefined ? undefined : { previous, from: input.length - items };
  return { record, content: encoded.encoder.frame?.({ ...prompt, tools }, link) };
}

function infer(state: ThreadState, line: Line, turn: number): InferredRequest {
  const about = { turn, turnId: state.openTurn?.id, model: stringAt(state.context, 'model') };
  const input = historyAsRequestInput(state.history, { modalities: ['text', 'image', 'audio'] });
  return { kind: 'inferred', ...about, line, input };
}
