import type { AnswerLimits } from '../../../core/config/defaults.ts';
import type { ModelEvent, ModelFailure, ModelRequest } from '../../../ports/model.ts';
import type { Credentials } from './credentials-and-headers.ts';
import { eventStreamParser } from './event-stream.ts';
import { answerTooLarge, formatMegabytes } from './failures/answer-failure.ts';

/** Reads the events of one answer in a wire format. Not called again after a `completed` or `failed`. */
export interface AnswerEventReader {
  /** Decodes the data of one event. Undefined: the format has no such event, and it does not count as activity. */
  event(data: Buffer): readonly ModelEvent[] | undefined;
  /** Final events when the stream ends here, such as a failure that an earlier event announced; may be empty. */
  end(): readonly ModelEvent[];
  /** The server reported an error after which an answer usually ends. Absent: an error is always the end. */
  readonly hasError?: boolean;
}

/** Longest silence after a reported error. Many servers leave the connection open. */
const silenceAfterErrorMs = 1000;
/** An event is held in memory until it is complete. */
const usualEventBytes = 32 * 1024 ** 2;
/** Largest event of an answer. Grows with a user-raised limit for answers. */
export const mostEventBytes = ({ maxBytes }: Pick<AnswerLimits, 'maxBytes'>): number =>
  Math.min(maxBytes, Math.max(usualEventBytes, maxBytes / 2));

function answerEvents(limits: Pick<AnswerLimits, 'maxBytes'>, reader: AnswerEventReader) {
  let bytes = 0;
  let finished = false;
  let sawEvent = false;
  /** Time since the last known event: waiting for the server and reading its data, not the work of consumers. */
  let waitedMs = 0;
  let sawOther = false;

  function take(events: readonly ModelEvent[]): readonly ModelEvent[] {
    const last = events.findIndex(({ kind }) => kind === 'completed' || kind === 'failed');
    finished = last !== -1;
    return finished ? events.slice(0, last + 1) : events;
  }

  const decodeAll = (events: readonly Buffer[]): readonly ModelEvent[] =>
    events.flatMap((data) => {
      const said = finished ? undefined : reader.event(data);
      if (said === undefined) return [];
      waitedMs = 0;
      sawOther = false;
      sawEvent = true;
      return take(said);
    });

  function fail(decoded: readonly ModelEvent[], failure: ModelFailure): readonly ModelEvent[] {
    finished = true;
    return [...decoded, { kind: 'failed', failure }];
  }

  return {
    push(came: number, events: () => readonly Buffer[]): readonly ModelEvent[] {
      if (finished) return [];
      bytes += came;
      sawOther = true;
      const began = performance.now();
      const decoded = decodeAll(events());
      // Count reading time too, so that a flood of unknown events cannot hold off the timeout.
      if (sawOther) waitedMs += performance.now() - began;
      // Counts any bytes: one endless event, unknown events, or comments.
      const isOver = !finished && bytes > limits.maxBytes;
      return isOver ? fail(decoded, answerTooLarge(formatMegabytes(limits.maxBytes))) : decoded;
    },
    end(events: () => readonly Buffer[], cause: (sawEvent: boolean) => ModelFailure): readonly ModelEvent[] {
      if (finished) return [];
      const decoded = decodeAll(events());
      if (finished) return decoded;
      const rest = take(reader.end());
      return finished ? [...decoded, ...rest] : fail([...decoded, ...rest], cause(sawEvent));
    },
    refuse: (decoded: readonly ModelEvent[]): readonly ModelEvent[] =>
      finished ? decoded : fail(decoded, answerTooLarge(formatMegabytes(mostEventBytes(limits)), 'event')),
    /** Waits for more. Only events that the reader knows extend the time: bytes, comments and unknown events do not. */
    async wait<Result>(
      usualMs: number,
      read: (ms: number) => Promise<Result>,
    ): Promise<Result | { readonly kind: 'idle' }> {
      const mostMs = reader.hasError === true ? Math.min(usualMs, silenceAfterErrorMs) : usualMs;
      if (waitedMs >= mostMs) return { kind: 'idle' };
      const began = performance.now();
      const result = await read(mostMs - waitedMs);
      waitedMs += performance.now() - began;
      return result;
    },
    sawOther: () => sawOther,
  };
}

/** Turns the bytes of one answer into model events. Gives nothing more after a `completed` or `failed`. */
export function answerDecoder(limits: Pick<AnswerLimits, 'maxBytes'>, reader: AnswerEventReader) {
  const parser = eventStreamParser({ mostEventBytes: mostEventBytes(limits) });
  const answer = answerEvents(limits, reader);
  return {
    ...answer,
    push(chunk: Uint8Array): readonly ModelEvent[] {
      const events = answer.push(chunk.length, () => parser.push(chunk));
      return parser.isTooLarge ? answer.refuse(events) : events;
    },
    /** The stream is over: gives `failed` unless the answer was finished, with the server's error or else `cause`. */
    end: (cause: (sawEvent: boolean) => ModelFailure) => answer.end(() => parser.end(), cause),
  };
}

/** Minimum charge per message: an empty one takes work, too. */
const leastMessageBytes = 64;

export function socketMessageDecoder(limits: Pick<AnswerLimits, 'maxBytes'>, reader: AnswerEventReader) {
  const answer = answerEvents(limits, reader);
  const costOf = (messages: readonly Buffer[]): number =>
    messages.reduce((sum, { length }) => sum + Math.max(length, leastMessageBytes), 0);
  return {
    ...answer,
    push: (messages: readonly Buffer[]) => answer.push(costOf(messages), () => messages),
    end: (cause: () => ModelFailure) => answer.end(() => [], cause),
  };
}

export interface HttpWire {
  readonly api: string;
  /** Path below the base URL to which steps are posted. */
  readonly endpoint: string;
  identify(credentials: Credentials, request: Pick<ModelRequest, 'routing'>): Readonly<Record<string, string>>;
  reader(limits: AnswerLimits): AnswerEventReader;
}

type Delta = Extract<ModelEvent, { kind: 'text-delta' | 'reasoning-delta' }>;

/** Merges adjacent pieces of one text: each event has a cost for every reader. */
export function joinedDeltas(events: readonly ModelEvent[]): readonly ModelEvent[] {
  if (events.length < 2) return events;
  const joined: ModelEvent[] = [];
  let texts: string[] = [];
  const close = (): void => {
    const last = joined.at(-1);
    if (texts.length > 1) joined[joined.length - 1] = { ...(last as Delta), delta: texts.join('') };
    texts = [];
  };
  for (const event of events) {
    const last = joined.at(-1);
    if (texts.length > 0 && isDelta(event) && continues(last as Delta, event)) {
      texts.push(event.delta);
      continue;
    }
    close();
    joined.push(event);
    if (isDelta(event)) texts.push(event.delta);
  }
  close();
  return joined;
}

const isDelta = (event: ModelEvent): event is Delta => event.kind === 'text-delta' || event.kind === 'reasoning-delta';
const partOf = (delta: Delta): number => (delta.kind === 'reasoning-delta' ? delta.part : 0);
const continues = (before: Delta, next: Delta): boolean =>
  before.itemId === next.itemId && before.kind === next.kind && partOf(before) === partOf(next);
