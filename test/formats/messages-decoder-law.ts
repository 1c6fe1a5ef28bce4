import fc from 'fast-check';
import { expect } from 'vitest';
import { defaultAnswerLimits } from '../../src/core/config/defaults.ts';
import { anthropicReader } from '../../src/adapters/model/anthropic/decode.ts';
import { answerDecoder } from '../../src/adapters/model/http/answer-decoder.ts';
import { cutFailure } from '../../src/adapters/model/http/failures/answer-failure.ts';
import type { ModelEvent } from '../../src/ports/model.ts';
import { anthropicRenderer } from '../../src/testing/anthropic-renderer.ts';
import type { StreamStep } from '../../src/testing/script.ts';
import { createIdNumbering, renderStream } from '../../src/testing/wire-renderer.ts';

/** The events of an answer whose bytes come in these pieces. */
export function decodeMessages(pieces: readonly Uint8Array[]): readonly ModelEvent[] {
  const decoder = answerDecoder(defaultAnswerLimits, anthropicReader(defaultAnswerLimits));
  const events = pieces.flatMap((piece) => decoder.push(piece));
  return [...events, ...decoder.end(() => cutFailure('end of stream'))];
}

export function renderStep(step: StreamStep): Buffer {
  return Buffer.concat(renderStream(anthropicRenderer, step, { ids: createIdNumbering(), usage: {} }));
}

const junk = fc.oneof(
  fc.json(),
  fc.string(),
  fc
    .record(
      {
        type: fc.constantFrom(
          'message_start',
          'content_block_start',
          'content_block_delta',
          'content_block_stop',
          'message_delta',
          'message_stop',
          'error',
          'ping',
          'later',
        ),
        index: fc.oneof(fc.nat(2), fc.constant('x')),
        message: fc.jsonValue({ maxDepth: 2 }),
        content_block: fc.oneof(
          fc.jsonValue({ maxDepth: 1 }),
          fc.record({ type: fc.constantFrom('text', 'thinking', 'tool_use', 'server_tool_use') }),
          fc.record({ type: fc.constant('tool_use'), id: fc.string(), name: fc.string(), input: fc.jsonValue() }),
        ),
        delta: fc.oneof(
          fc.jsonValue({ maxDepth: 1 }),
          fc.record({ type: fc.constantFrom('text_delta', 'citations_delta'), text: fc.string() }),
          fc.record({ stop_reason: fc.oneof(fc.string(), fc.constantFrom('end_turn', 'max_tokens', 'refusal')) }),
        ),
        usage: fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.record({ output_tokens: fc.integer() })),
        error: fc.jsonValue({ maxDepth: 1 }),
      },
      { requiredKeys: ['type'] },
    )
    .map((event) => JSON.stringify(event)),
);

/** Law: whatever comes, an answer ends once, with `completed` or with a failure that has a name, a sentence and advice. */
export function checkJunk(numRuns: number): number {
  let ended = 0;
  fc.assert(
    fc.property(fc.array(junk, { maxLength: 10 }), fc.uint8Array({ maxLength: 20 }), (events, tail) => {
      const text = events.map((data) => `data: ${data.replaceAll(/[\r\n]/g, ' ')}\n\n`).join('');
      const decoded = decodeMessages([Buffer.from(text), tail]);
      const ends = decoded.filter(({ kind }) => kind === 'completed' || kind === 'failed');
      expect(ends).toEqual([decoded.at(-1)]);
      const [end] = ends;
      if (end?.kind === 'failed') {
        expect(end.failure.code).toMatch(/^[a-z-]+$/);
        expect(end.failure.message.length * end.failure.next.length).toBeGreaterThan(0);
      }
      for (const event of decoded) {
        const counts = event.kind === 'completed' ? Object.values(event.usage ?? {}) : [];
        expect(counts.every((count) => Number.isSafeInteger(count) && count >= 0)).toBe(true);
      }
      ended += 1;
    }),
    { numRuns },
  );
  return ended;
}
