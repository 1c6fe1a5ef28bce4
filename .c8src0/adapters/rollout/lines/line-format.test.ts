import { constants } from 'node:buffer';
import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import type { Ordinal } from '../../../protocol/ids.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import type { Line } from '../../../protocol/line.ts';
import { decodeLine, decodePeeked, encodeLine } from './line-format.ts';
import { RawLine } from './split-lines.ts';
import { anyCharacter } from '../../../testing/test-inputs.ts';

const decode = (text: string): Line | 'blank' | 'bad' => decodeLine(Buffer.from(text));

describe('a line on disk', () => {
  test('is a bad one if it is longer than a text can be', () => {
    // Whatever is in it: no text is made of so many bytes.
    const bytes = Buffer.allocUnsafeSlow(constants.MAX_STRING_LENGTH + 1);
    const place = { start: 0, end: bytes.length, at: 0, terminated: true, kept: true };
    expect(decodePeeked(new RawLine(bytes, place))).toBe('bad');
  });

  test('has its keys in the order that other programs write', () => {
    const line: Line = {
      metadata: { m: 1 },
      payload: { b: 1, a: undefined, c: null },
      type: 'response_item',
      ordinal: 3 as Ordinal,
      timestamp: '2026-11-15T00:00:00.000Z',
    };
    expect(encodeLine(line)).toBe(
      '{"timestamp":"2026-11-15T00:00:00.000Z","ordinal":3,"type":"response_item","payload":{"b":1,"c":null},"metadata":{"m":1}}\n',
    );
    expect(encodeLine({ timestamp: 't', type: 'x', payload: {} })).toBe('{"timestamp":"t","type":"x","payload":{}}\n');
  });

  test('comes back as it was, and takes one line, whatever the payload', () => {
    const payloads = fc.dictionary(fc.string({ unit: anyCharacter }), fc.jsonValue()) as fc.Arbitrary<JsonObject>;
    fc.assert(
      fc.property(payloads, fc.nat(), (payload, ordinal) => {
        const text = encodeLine({ timestamp: 't', ordinal: ordinal as Ordinal, type: 'x', payload });
        expect(text.indexOf('\n')).toBe(text.length - 1);
        expect(decode(text.slice(0, -1))).toEqual(JSON.parse(text));
      }),
    );
  });
});

describe('reading a line', () => {
  test('separates blank and bad lines from good ones', () => {
    expect(['', ' \t\r'].map(decode)).toEqual(['blank', 'blank']);
    const bad = [
      '{',
      '[]',
      '"x"',
      'null',
      '{"type":"x"}',
      '{"type":1,"payload":{}}',
      '{"type":"x","payload":[]}',
      '\0',
    ];
    expect(bad.map(decode)).toEqual(bad.map(() => 'bad'));
    expect(decodeLine(Buffer.from([...Buffer.from('{"type":"x","payload":{"t":"'), 0xff, 0x22, 0x7d, 0x7d]))).toBe(
      'bad',
    );
  });

  test('keeps keys that it does not know', () => {
    const text = '{"timestamp":"t","ordinal":1,"type":"x","payload":{"later":1.5},"later":[1]}';
    expect(decode(`${text}\r`)).toEqual(JSON.parse(text));
  });

  test('reads keys of the wrong kind as missing', () => {
    expect(decode('{"ordinal":"7","type":"x","payload":{},"metadata":3,"later":1}')).toEqual({
      timestamp: '',
      type: 'x',
      payload: {},
      later: 1,
    });
    expect(decode('{"timestamp":5,"ordinal":-1,"type":"x","payload":{},"metadata":{}}')).toEqual({
      timestamp: '',
      type: 'x',
      payload: {},
      metadata: {},
    });
  });
});
