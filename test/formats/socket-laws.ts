import fc from 'fast-check';
import { expect } from 'vitest';
import { defaultAnswerLimits } from '../../src/config/defaults.ts';
import { messageDecoder } from '../../src/model/http/answer-decoder.ts';
import { cutFailure } from '../../src/model/http/answer-failure.ts';
import { joinedDeltas } from '../../src/model/http/joined-deltas.ts';
import { socketReader } from '../../src/model/responses/socket-reader.ts';
import { frameParser, opcode, type ReceivedFrame } from '../../src/model/socket/frame-parser.ts';
import { closeContent, frameBytes } from '../../src/model/socket/frame-writer.ts';
import type { ModelEvent } from '../../src/ports/model-client.ts';
import { asItem } from '../../src/protocol/item.ts';
import { responsesRenderer } from '../../src/testing/sse.ts';
import { numbering } from '../../src/testing/wire-renderer.ts';
import { checkEnd, step } from './stream-laws.ts';

const maxBytes = 1024 * 1024;
const place = { now: 0, api: 'Responses API' };

/** The messages of a step, as the server writes them. */
const messages = step.map((given) =>
  responsesRenderer
    .events(given, { ids: numbering(), usage: {} })
    .map((event) => event.subarray(event.indexOf('data: ') + 6, event.lastIndexOf('\n\n'))),
);

/** How a server may write one message: in so many fragments, with a control frame between them. */
const writing = fc.record({
  cuts: fc.array(fc.nat(), { maxLength: 3 }),
  between: fc.constantFrom<Buffer>(
    Buffer.alloc(0),
    frameBytes({ opcode: opcode.ping }, [Buffer.from('here?')]),
    frameBytes({ opcode: opcode.pong }, []),
  ),
});

type Writing = Readonly<{ cuts: readonly number[]; between: Buffer }>;

function written(data: Buffer, { cuts, between }: Writing): Buffer {
  const places = [0, ...cuts.map((cut) => cut % (data.length + 1)).toSorted((a, b) => a - b), data.length];
  const parts = places.slice(1).map((to, at) => data.subarray(places[at], to));
  const frames = parts.map((part, index) => {
    const isFragment = index < parts.length - 1 ? { isFragment: true as const } : {};
    return frameBytes({ opcode: index === 0 ? opcode.text : opcode.continuation, ...isFragment }, [part]);
  });
  return Buffer.concat(frames.flatMap((frame) => [frame, between]));
}

function pieces(bytes: Buffer, cuts: readonly number[]): readonly Buffer[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  return places.slice(1).map((to, at) => bytes.subarray(places[at], to));
}

/** What is read of the bytes of a server: the frames, and the events in them. */
function read(bytes: Buffer, cuts: readonly number[] = []) {
  const parse = frameParser({ masked: false, maxBytes, mayCompress: false });
  const frames: ReceivedFrame[] = pieces(bytes, cuts).flatMap((piece) => [...parse(Buffer.from(piece))]);
  const decoder = messageDecoder(
    defaultAnswerLimits,
    socketReader(defaultAnswerLimits, () => place),
  );
  const events: ModelEvent[] = frames.flatMap((frame) => (frame.kind === 'message' ? decoder.push([frame.data]) : []));
  return { frames, events: joinedDeltas([...events, ...decoder.end(() => cutFailure('end of stream'))]) };
}

const cuts = fc.array(fc.nat(), { maxLength: 12 });

/** Law: whatever fragments and pieces the messages come in, and whatever comes between, the same is read. */
export function splitLaw() {
  return fc.property(messages, fc.array(writing, { minLength: 40, maxLength: 40 }), cuts, (all, how, at) => {
    const plain = read(Buffer.concat(all.map((data) => frameBytes({ opcode: opcode.text }, [data]))));
    const split = read(Buffer.concat(all.map((data, index) => written(data, how[index % how.length]!))), at);
    expect(split.events).toEqual(plain.events);
    checkEnd(plain.events);
  });
}

/** Law: where the bytes break off, or a close comes, the answer fails by name, or was whole already. */
export function cutLaw() {
  return fc.property(messages, fc.nat(), cuts, fc.boolean(), (all, to, at, closes) => {
    const bytes = Buffer.concat(all.map((data) => frameBytes({ opcode: opcode.text }, [data])));
    const whole = read(bytes).events;
    const close = closes ? frameBytes({ opcode: opcode.close }, [closeContent(1001)]) : Buffer.alloc(0);
    const { events } = read(Buffer.concat([bytes.subarray(0, to % (bytes.length + 1)), close]), at);
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
      frameBytes({ opcode: opcode.text }, [Buffer.from('{"type":"response.unknown"}')]),
      frameBytes({ opcode: opcode.text }, [Buffer.from('{"type":"error","status":"odd","error":[]}')]),
      frameBytes({ opcode: opcode.text }, [Buffer.from('{"type":"error","status":400,"headers":[1]}')]),
      frameBytes({ opcode: opcode.text }, [Buffer.from('{"type":"response.completed","response":')]),
    ),
  ),
});

/** Law: damaged bytes give an answer or a failure by name, the same in whatever pieces they come, and no odd item. */
export function damageLaw() {
  return fc.property(messages, fc.array(damage, { minLength: 1, maxLength: 4 }), cuts, (all, damages, at) => {
    let bytes = Buffer.concat(all.map((data) => frameBytes({ opcode: opcode.text }, [data])));
    for (const { at: place_, remove, put } of damages) {
      const from = place_ % (bytes.length + 1);
      bytes = Buffer.concat([bytes.subarray(0, from), put, bytes.subarray(from + remove)]);
    }
    const plain = read(bytes);
    checkEnd(plain.events);
    expect(read(bytes, at)).toEqual(plain);
    const kept = plain.events.flatMap((event) => (event.kind === 'item' ? [event.item] : []));
    expect(kept.filter((each) => asItem(each) === undefined)).toEqual([]);
    // After something wrong, or a close, nothing is read.
    const last = plain.frames.findIndex(({ kind }) => kind === 'wrong' || kind === 'close');
    if (last !== -1) expect(last).toBe(plain.frames.length - 1);
  });
}

/** Law: a frame comes out as it went in, masked or not, of every length. */
export function roundLaw() {
  return fc.property(
    fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.constantFrom(125, 126, 65_535, 65_536).map((size) => Buffer.alloc(size, 'x')),
    ),
    fc.option(fc.uint8Array({ minLength: 4, maxLength: 4 }), { nil: undefined }),
    cuts,
    (data, mask, at) => {
      const parse = frameParser({ masked: mask !== undefined, maxBytes, mayCompress: false });
      const bytes = frameBytes({ opcode: opcode.text, ...(mask && { mask }) }, [data.subarray(0, 5), data.subarray(5)]);
      const frames = pieces(bytes, at).flatMap((piece) => [...parse(piece)]);
      expect(frames).toEqual([{ kind: 'message', data: Buffer.from(data), isCompressed: false }]);
    },
  );
}
