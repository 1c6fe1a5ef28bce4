import type { AnswerLimits } from '../../config/defaults.ts';
import type { ModelEvent, ModelFailure } from '../../ports/model-client.ts';
import { answerTooLarge, megabytes } from './answer-failure.ts';
import { eventStreamParser } from './event-stream.ts';

/** Reads the events of one answer in a wire format. It is asked for nothing more after a `completed` or `failed`. */
export interface AnswerReader {
  /** What the data of one event says. */
  event(data: Buffer): readonly ModelEvent[];
  /** What follows when the stream ends here: for instance the failure that an earlier event announced, or nothing. */
  end(): readonly ModelEvent[];
}

/** Turns the bytes of one answer into model events. After a `completed` or `failed` it gives nothing more. */
export interface AnswerDecoder {
  push(chunk: Uint8Array): readonly ModelEvent[];
  /**
   * The stream is over. Gives `failed` unless the answer was finished: for what the server said before, else for the
   * cause, which may depend on whether there was any event.
   */
  end(cause: (sawEvent: boolean) => ModelFailure): readonly ModelEvent[];
}

export function answerDecoder(limits: Pick<AnswerLimits, 'maxBytes'>, reader: AnswerReader): AnswerDecoder {
  const parser = eventStreamParser();
  let bytes = 0;
  let finished = false;
  let sawEvent = false;

  function take(events: readonly ModelEvent[], decoded: ModelEvent[]): void {
    for (const event of events) {
      if (finished) return;
      decoded.push(event);
      finished = event.kind === 'completed' || event.kind === 'failed';
    }
  }

  function decodeAll(events: readonly Buffer[]): ModelEvent[] {
    const decoded: ModelEvent[] = [];
    sawEvent ||= events.length > 0;
    for (const data of events) {
      if (finished) break;
      take(reader.event(data), decoded);
    }
    return decoded;
  }

  return {
    push(chunk) {
      if (finished) return [];
      bytes += chunk.length;
      const decoded = decodeAll(parser.push(chunk));
      // Whatever the bytes were: one endless event, events of unknown types, or comments.
      if (finished || bytes <= limits.maxBytes) return decoded;
      finished = true;
      return [...decoded, { kind: 'failed', failure: answerTooLarge(megabytes(limits.maxBytes)) }];
    },
    end(cause) {
      if (finished) return [];
      const decoded = decodeAll(parser.end());
      if (!finished) take(reader.end(), decoded);
      if (finished) return decoded;
      finished = true;
      return [...decoded, { kind: 'failed', failure: cause(sawEvent) }];
    },
  };
}
