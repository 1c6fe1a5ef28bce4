import fc from 'fast-check';
import { expect } from 'vitest';
import { defaultAnswerLimits } from '../../src/config/defaults.ts';
import { anthropicReader } from '../../src/model/anthropic/decode.ts';
import { answerDecoder } from '../../src/model/http/answer-decoder.ts';
import { cutFailure } from '../../src/model/http/answer-failure.ts';
import { joinedDeltas } from '../../src/model/http/joined-deltas.ts';
import type { ModelEvent } from '../../src/ports/model-client.ts';
import { anthropicRenderer } from '../../src/testing/anthropic-sse.ts';
import { answer, callTool, failed, incomplete, type ItemDraft, malformed, say } from '../../src/testing/index.ts';
import type { StreamStep } from '../../src/testing/script.ts';
import { numbering } from '../../src/testing/wire-renderer.ts';

/** The events of an answer whose bytes come in these pieces. */
export function decodeMessages(pieces: readonly Uint8Array[]): readonly ModelEvent[] {
  const decoder = answerDecoder(defaultAnswerLimits, anthropicReader(defaultAnswerLimits));
  const events = pieces.flatMap((piece) => decoder.push(piece));
  return [...events, ...decoder.end(() => cutFailure('end of stream'))];
}

export function renderStep(step: StreamStep): Buffer {
  return Buffer.concat(anthropicRenderer.events(step, { ids: numbering(), usage: {} }));
}

const words = fc.string({ unit: 'grapheme', maxLength: 20 });
const item: fc.Arbitrary<ItemDraft> = fc.oneof(
  words.map(say),
  fc.tuple(words, words).map(([text, data]) => ({
    type: 'reasoning',
    summary: text === '' ? [] : [{ type: 'summary_text', text }],
    encrypted_content: `anthropic/thinking:${data}`,
  })),
  words.map((data) => ({ type: 'reasoning', summary: [], encrypted_content: `anthropic/redacted_thinking:${data}` })),
  fc.tuple(fc.constantFrom('read', 'exec'), fc.json()).map(([name, given]) => callTool(name, given)),
);
const items = fc.array(item, { maxLength: 5 });
const answers = fc
  .record({ items, deltas: fc.constantFrom(true as const, undefined), endTurn: fc.constantFrom(undefined, false) })
  .map(({ items: all, deltas, endTurn }) =>
    answer({ items: all, ...(deltas && { deltas }), ...(endTurn === false && { endTurn }) }),
  );
const step: fc.Arbitrary<StreamStep> = fc.oneof(
  { weight: 4, arbitrary: answers },
  { weight: 1, arbitrary: answers.map((of) => malformed({ of })) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(items, fc.constantFrom('overloaded_error', 'api_error', 'invalid_request_error', 'something_new'))
      .map(([all, code]) => failed({ code, message: 'Words.', items: all })),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(items, fc.constantFrom('max_tokens', 'refusal', 'model_context_window_exceeded', 'stop_sequence', 'odd'))
      .map(([all, reason]) => incomplete({ reason, items: all })),
  },
);

/** Law, tried so many times: what an answer says does not depend on how its bytes are cut apart. */
export function checkAnySplit(numRuns: number): number {
  let same = 0;
  fc.assert(
    fc.property(step, fc.array(fc.nat(2000), { maxLength: 12 }), (played, cuts) => {
      const bytes = renderStep(played);
      const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
      const pieces = places.slice(1).map((place, index) => bytes.subarray(places[index], place));
      const events = (given: readonly Uint8Array[]): string => JSON.stringify(joinedDeltas(decodeMessages(given)));
      const whole = events([bytes]);
      expect(events(pieces)).toBe(whole);
      if (bytes.length < 400) expect(events(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toBe(whole);
      same += 1;
    }),
    { numRuns },
  );
  return same;
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
