import fc from 'fast-check';
import { expect } from 'vitest';
import { defaultAnswerLimits } from '../../src/core/config/defaults.ts';
import { anthropicReader } from '../../src/adapters/model/anthropic/decode.ts';
import { chatReader } from '../../src/adapters/model/chat/decode.ts';
import { commonDialect } from '../../src/adapters/model/chat/dialect.ts';
import { answerDecoder, type AnswerEventReader, joinedDeltas } from '../../src/adapters/model/http/answer-decoder.ts';
import { cutFailure } from '../../src/adapters/model/http/failures/answer-failure.ts';
import { responsesReader } from '../../src/adapters/model/responses/decode.ts';
import type { ModelEvent, ModelFailure } from '../../src/ports/model.ts';
import { asItem } from '../../src/protocol/item.ts';
import { anthropicRenderer } from '../../src/testing/anthropic-renderer.ts';
import { chatRenderer } from '../../src/testing/chat-renderer.ts';
import {
  answer,
  callTool,
  failed,
  incomplete,
  type ItemDraft,
  reason,
  say,
  type ScriptedUsage,
  type StreamStep,
} from '../../src/testing/script.ts';
import { responsesRenderer } from '../../src/testing/responses-renderer.ts';
import { createIdNumbering, renderStream, type WireRenderer } from '../../src/testing/wire-renderer.ts';

/** Makes and reads the bytes of one format. A new format is one more row. */
export interface StreamFormat {
  readonly title: string;
  readonly renderer: WireRenderer;
  reader(): AnswerEventReader;
  /** Each item comes when it is done, or all of them come with the end. */
  readonly items: 'as-they-come' | 'at-the-end';
}

export const streamFormats: readonly StreamFormat[] = [
  {
    title: 'Responses',
    renderer: responsesRenderer,
    reader: () => responsesReader(defaultAnswerLimits),
    items: 'as-they-come',
  },
  {
    title: 'Chat',
    renderer: chatRenderer,
    reader: () => chatReader(defaultAnswerLimits, commonDialect),
    items: 'at-the-end',
  },
  {
    title: 'Messages',
    renderer: anthropicRenderer,
    reader: () => anthropicReader(defaultAnswerLimits),
    items: 'as-they-come',
  },
];

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.constantFrom(
    '',
    ' ',
    '\n\ndata: [DONE]\n\n',
    '\r\n',
    'é\u2028👩‍👩‍👧',
    '{"type":"response.completed"}',
    '[DONE]',
    '\ud83d',
  ),
);
const item: fc.Arbitrary<ItemDraft> = fc.oneof(
  text.map(say),
  text.map(reason),
  fc.tuple(text, fc.jsonValue({ maxDepth: 1 })).map(([name, given]) => callTool(`t${name}`, JSON.stringify(given))),
);
const items = fc.array(item, { maxLength: 5 });
const usage = fc.constantFrom<ScriptedUsage>('none', 'null', 'zero', { input: 7, output: 3 });
export const step: fc.Arbitrary<StreamStep> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(items, usage, fc.boolean())
      .map(([all, counts, deltas]) => answer({ items: all, usage: counts, ...(deltas && { deltas: true as const }) })),
  },
  fc
    .tuple(items, fc.constantFrom('rate_limit_exceeded', 'context_length_exceeded', 'odd'))
    .map(([all, code]) => failed({ items: all, code, message: 'The server says no.' })),
  fc
    .tuple(items, fc.constantFrom('max_output_tokens', 'content_filter', 'context_length_exceeded'))
    .map(([all, why]) => incomplete({ items: all, reason: why })),
);

const lineEnds = fc.constantFrom('\n', '\r\n', '\r');
const comments = fc.constantFrom('', ': keep-alive\n\n', 'id: 7\nretry: 10\n');

/** The bytes of a step, with the ends of lines and the comments that servers use. */
function bytesOf(given: StreamStep, { renderer }: StreamFormat, end: string, comment: string): Buffer {
  const events = renderStream(renderer, given, { ids: createIdNumbering(), usage: {} });
  return Buffer.from(
    events
      .map((event) => comment + event.toString('utf8'))
      .join('')
      .replaceAll('\n', end),
  );
}

/** The events read when the bytes come in pieces that end at these places. */
function read(bytes: Buffer, cuts: readonly number[], format: StreamFormat): readonly ModelEvent[] {
  const decoder = answerDecoder(defaultAnswerLimits, format.reader());
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  const events = places.slice(1).flatMap((to, at) => [...decoder.push(bytes.subarray(places[at], to))]);
  return joinedDeltas([...events, ...decoder.end(() => cutFailure('end of stream'))]);
}

const isEnd = ({ kind }: ModelEvent): boolean => kind === 'completed' || kind === 'failed';

/** It ends once, at its end, and a failure says what happened and what to do. */
export function checkEnd(events: readonly ModelEvent[]): void {
  const last = events.at(-1);
  const isOne = events.filter(isEnd).length === 1 && isEnd(last!);
  const isNamed = last?.kind !== 'failed' || isTold(last.failure);
  if (!isOne || !isNamed) throw new Error(`an end that is none: ${JSON.stringify(events)}`);
}

function isTold({ code, message, next }: ModelFailure): boolean {
  return /^[a-z-]+$/.test(code) && message !== '' && next !== '';
}

function endOf(events: readonly ModelEvent[]): string {
  const last = events.at(-1)!;
  return last.kind === 'failed' ? last.failure.code : last.kind;
}

/** Law: whatever pieces the bytes come in, whatever ends their lines, the same is read. */
export function splitLaw(format: StreamFormat) {
  return fc.property(step, lineEnds, comments, fc.array(fc.nat(), { maxLength: 12 }), (given, end, comment, cuts) => {
    const plain = read(bytesOf(given, format, '\n', ''), [], format);
    expect(read(bytesOf(given, format, end, comment), cuts, format)).toEqual(plain);
    checkEnd(plain);
  });
}

/** Law: a stream that breaks off anywhere fails by name, or was whole already. Of one that was not, no item is kept that was not whole. */
export function cutLaw(format: StreamFormat) {
  return fc.property(step, fc.nat(), fc.array(fc.nat(), { maxLength: 3 }), (given, to, cuts) => {
    const bytes = bytesOf(given, format, '\n', '');
    const whole = read(bytes, [], format);
    const events = read(bytes.subarray(0, to % (bytes.length + 1)), cuts, format);
    checkEnd(events);
    const kept = events.filter(({ kind }) => kind === 'item');
    expect(whole.filter(({ kind }) => kind === 'item').slice(0, kept.length)).toEqual(kept);
    if (format.items === 'as-they-come') return;
    // It ends as the whole one does, or as a cut without items.
    const end = endOf(events);
    expect([endOf(whole), 'stream-cut']).toContain(end);
    if (end === 'stream-cut') expect(kept).toEqual([]);
  });
}

const messagesEvents = [
  'message_start',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
];

const damage = fc.record({ at: fc.nat(), remove: fc.nat(40), put: fc.oneof(fc.uint8Array({ maxLength: 12 }), junk()) });

function junk(): fc.Arbitrary<Uint8Array> {
  const pieces = [
    '\n\n',
    'data: ',
    'data: null\n\n',
    'data: []\n\n',
    'data: {"choices":null}\n\n',
    'null',
    '{}',
    '[',
    '"',
    '1e999',
    '\\ud800',
  ];
  return fc.constantFrom(...pieces).map((piece) => Buffer.from(piece));
}

/** Law: damaged bytes give an answer or a failure by name; nothing is thrown, and every item is one that can be kept. */
export function damageLaw(format: StreamFormat) {
  return fc.property(step, fc.array(damage, { minLength: 1, maxLength: 4 }), (given, damages) => {
    let bytes = bytesOf(given, format, '\n', '');
    for (const { at, remove, put } of damages) {
      const from = at % (bytes.length + 1);
      bytes = Buffer.concat([bytes.subarray(0, from), put, bytes.subarray(from + remove)]);
    }
    const events = read(bytes, [], format);
    checkEnd(events);
    const kept = events.flatMap((event) => (event.kind === 'item' ? [event.item] : []));
    expect(kept.filter((each) => asItem(each) === undefined)).toEqual([]);
  });
}

/** Law: chunks of any shape give an answer or a failure by name. */
export function junkLaw(format: StreamFormat) {
  const keys =
    'id object choices delta message index finish_reason content reasoning_content tool_calls function name arguments usage error code type response item output_index content_block text thinking signature stop_reason';
  const value: fc.Memo<unknown> = fc.memo((depth) =>
    depth <= 1
      ? fc.oneof(
          fc.jsonValue({ maxDepth: 0 }),
          fc.constantFrom(
            0,
            'stop',
            'tool_calls',
            'length',
            'response.completed',
            'response.output_item.done',
            ...messagesEvents,
          ),
        )
      : fc.oneof(
          fc.dictionary(fc.constantFrom(...keys.split(' ')), value(depth - 1), { maxKeys: 5 }),
          fc.array(value(depth - 1), { maxLength: 3 }),
          value(1),
        ),
  );
  return fc.property(fc.array(value(5), { maxLength: 6 }), fc.boolean(), (chunks, hasEnd) => {
    const events = [...chunks.map((chunk) => JSON.stringify(chunk)), ...(hasEnd ? ['[DONE]'] : [])];
    checkEnd(read(Buffer.from(events.map((data) => `data: ${data}\n\n`).join('')), [], format));
  });
}
