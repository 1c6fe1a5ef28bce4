import fc from 'fast-check';
import { expect } from 'vitest';
import { defaultAnswerLimits } from '../../src/core/config/defaults.ts';
import { joinedDeltas, socketMessageDecoder } from '../../src/adapters/model/http/answer-decoder.ts';
import { cutFailure } from '../../src/adapters/model/http/failures/answer-failure.ts';
import { socketReader } from '../../src/adapters/model/responses/socket-exchange.ts';
import type { ModelEvent } from '../../src/ports/model.ts';
import { asItem } from '../../src/protocol/item.ts';
import { responsesRenderer } from '../../src/testing/responses-renderer.ts';
import { createIdNumbering, renderStream } from '../../src/testing/wire-renderer.ts';
import { cutAt } from '../harness/pieces.ts';
import { closeFrame, frame, opcode, readSocket } from '../harness/socket-bytes.ts';
import { checkEnd, step } from './stream-laws.ts';

const place = { now: 0, api: 'Responses API' };

/** The messages of a step, as the server writes them. */
const messages = step.map((given) =>
  renderStream(responsesRenderer, given, { ids: createIdNumbering(), usage: {} }).map((event) =>
    event.subarray(event.indexOf('data: ') + 6, event.lastIndexOf('\n\n')),
  ),
);

/** The way in which a server may write one message: in so many fragments, with a control frame between them. */
const writing = fc.record({
  cuts: fc.array(fc.nat(), { maxLength: 3 }),
  between: fc.constantFrom<Buffer>(
    Buffer.alloc(0),
    frame(opcode.ping, Buffer.from('here?')),
    frame(opcode.pong, Buffer.alloc(0)),
  ),
});

type Writing = Readonly<{ cuts: readonly number[]; between: Buffer }>;

function written(data: Buffer, { cuts, between }: Writing): Buffer {
  const parts = data.length === 0 ? [data] : cutAt(data, cuts);
  const frames = parts.map((part, index) =>
    frame(index === 0 ? opcode.text : opcode.continuation, part, { isLast: index === parts.length - 1 }),
  );
  return Buffer.concat(frames.flatMap((each) => [each, between]));
}

function plainly(all: readonly Buffer[]): Buffer {
  return Buffer.concat(all.map((data) => frame(opcode.text, data)));
}

/** The content of the bytes of a server: the end, and the events before it. */
async function read(bytes: Buffer, cuts: readonly number[] = []) {
  const { messages: said, end } = await readSocket(cutAt(bytes, cuts));
  const decoder = socketMessageDecoder(
    defaultAnswerLimits,
    socketReader(defaultAnswerLimits, () => place),
  );
  const events: ModelEvent[] = said.flatMap((data) => decoder.push([data]));
  return { end, events: joinedDeltas([...events, ...decoder.end(() => cutFailure('end of stream'))]) };
}

const cuts = fc.array(fc.nat(), { maxLength: 12 });

/** Law: whatever fragments and pieces the messages come in, and whatever comes between, the same is read. */
export function splitLaw() {
  return fc.asyncProperty(messages, fc.array(writing, { minLength: 40, maxLength: 40 }), cuts, async (all, how, at) => {
    const plain = await read(plainly(all));
    const split = await read(Buffer.concat(all.map((data, index) => written(data, how[index % how.length]!))), at);
    expect(split.events).toEqual(plain.events);
    checkEnd(plain.events);
  });
}

/** Law: where the bytes break off, or a close comes, the answer fails by name, or was whole already. */
export function cutLaw() {
  return fc.asyncProperty(messages, fc.nat(), cuts, fc.boolean(), async (all, to, at, closes) => {
    const bytes = plainly(all);
    const whole = (await read(bytes)).events;
    const close = closes ? closeFrame(1001) : Buffer.alloc(0);
    const { events } = await read(Buffer.concat([bytes.subarray(0, to % (bytes.length + 1)), close]), at);
    checkEnd(events);
    const items = (of: readonly ModelEvent[]) => of.filter(({ kind }) => kind === 'item');
    expect(items(whole).slice(0, items(events).length)).toEqual(items(events));
  });
}

const damage = fc.record({
  at: fc.nat(),
  remove: fc.nat(40),
  put: fc.oneof(
    fc.uint8Array({ maxLength: 12 }),
    fc.constantFrom(
      Buffer.from([0x82, 0]),
      Buffer.from([0x81, 127, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
      Buffer.from([0x88, 1, 0]),
      Buffer.from([0x00, 0]),
      Buffer.from([0x89, 126, 0, 200]),
      frame(opcode.text, Buffer.from('{"type":"response.unknown"}')),
      frame(opcode.text, Buffer.from('{"type":"error","status":"odd","error":[]}')),
      frame(opcode.text, Buffer.from('{"type":"error","status":400,"headers":[1]}')),
      frame(opcode.text, Buffer.from('{"type":"response.completed","response":')),
    ),
  ),
});

/** Law: damaged bytes give an answer or a failure by name, the same in whatever pieces they come, and no odd item. */
export function damageLaw() {
  return fc.asyncProperty(
    messages,
    fc.array(damage, { minLength: 1, maxLength: 4 }),
    cuts,
    async (all, damages, at) => {
      let bytes = plainly(all);
      for (const { at: place_, remove, put } of damages) {
        const from = place_ % (bytes.length + 1);
        bytes = Buffer.concat([bytes.subarray(0, from), put, bytes.subarray(from + remove)]);
      }
      const plain = await read(bytes);
      checkEnd(plain.events);
      expect(await read(bytes, at)).toEqual(plain);
      const kept = plain.events.flatMap((event) => (event.kind === 'item' ? [event.item] : []));
      expect(kept.filter((each) => asItem(each) === undefined)).toEqual([]);
    },
  );
}
