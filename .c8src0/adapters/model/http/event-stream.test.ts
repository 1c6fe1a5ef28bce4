import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { eventStreamParser } from './event-stream.ts';

const lineText = fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => text.replaceAll(/[\r\n]/g, ' '));
const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
const noise = fc.oneof(
  lineText.map((text) => `:${text}`),
  lineText.map((text) => `event: ${text}`),
  fc.constantFrom('id: 1', 'retry: 5', 'database: x', 'dat', 'unknown'),
);
const event = fc.record({
  data: fc.array(lineText, { minLength: 1, maxLength: 3 }),
  before: fc.array(noise, { maxLength: 2 }),
  space: fc.boolean(),
  ends: fc.array(lineEnd, { minLength: 12, maxLength: 12 }),
});

/** A stream, the data that it holds by construction, and cuts into chunks. */
const stream = fc
  .record({
    events: fc.array(event, { maxLength: 6 }),
    mark: fc.boolean(),
    cuts: fc.array(fc.nat(), { maxLength: 20 }),
  })
  .map(({ events, mark, cuts }) => {
    const texts = events.map(({ data, before, space, ends }) => {
      // A value that begins with a space needs the optional one in front of it.
      const lines = [...before, ...data.map((text) => `data:${space || text.startsWith(' ') ? ' ' : ''}${text}`), ''];
      // A line feed right after a carriage return would belong to it and end no empty line.
      const endAt = (index: number): string =>
        lines[index] === '' && ends[index - 1] === '\r' && ends[index] === '\n' ? '\r' : (ends[index] ?? '\n');
      return lines.map((line, index) => `${line}${endAt(index)}`).join('');
    });
    const bytes = Buffer.from(`${mark ? '\uFEFF' : ''}${texts.join('')}`);
    return { bytes, data: events.map((each) => each.data.join('\n')), cuts };
  });

describe('the parser', () => {
  test('finds the same events whatever the borders of the chunks', () => {
    fc.assert(
      fc.property(stream, ({ bytes, data, cuts }) => {
        expect(parsed([bytes])).toEqual(data);
        expect(parsed(chunked(bytes, cuts))).toEqual(data);
        expect(parsed([...bytes].map((byte) => Buffer.from([byte])))).toEqual(data);
      }),
    );
  });

  test('keeps apart what is data and what is not', () => {
    const text = ': comment\ndata\n\nevent: x\n\ndata:a\ndata:\ndata:  b\nid: 1\n\n\n\ndata: c\r\rdata: d\r\n\r\n';
    expect(parsed([Buffer.from(text)])).toEqual(['', 'a\n\n b', 'c', 'd']);
  });

  test('joins any number of lines', () => {
    const lines = Array.from({ length: 3000 }, (_, index) => (index % 3 === 0 ? '' : `line ${index}`));
    const text = lines.map((line) => `data: ${line}\n`).join('');
    expect(parsed([Buffer.from(`${text}\ndata: next\n\n`)])).toEqual([lines.join('\n'), 'next']);
  });

  test('gives a last event without its empty line at the end', () => {
    expect(parsed([Buffer.from('data: a\n\ndata: b\ndata: c')])).toEqual(['a', 'b\nc']);
  });

  test.each([
    ['one line', 'data: 12345678\n\n'],
    ['lines', 'data: 123\ndata: 56\ndata: 8\n\n'],
  ])('refuses an event that has more data than it may, in %s and whatever the chunks', (_what, text) => {
    const found = [
      [Buffer.from(text)],
      [...text].map((each) => Buffer.from(each)),
      [Buffer.from(text.slice(0, 12)), Buffer.from(text.slice(12))],
    ].map((chunks) =>
      [8, 7].map((mostEventBytes) => {
        const parser = eventStreamParser({ mostEventBytes });
        const events = [Buffer.from('data: 1\n\n'), ...chunks].flatMap((chunk) => parser.push(chunk));
        return [events.length, parser.isTooLarge];
      }),
    );
    expect(found).toEqual(
      found.map(() => [
        [2, false],
        [1, true],
      ]),
    );
  });

  test('other lines may have any length', () => {
    const parser = eventStreamParser({ mostEventBytes: 8 });
    const chunks = [
      'data: 1',
      '\n: ',
      ...Array<string>(100).fill('x'.repeat(100)),
      '\nevent: ',
      'y'.repeat(99),
      '\n\n',
    ];
    expect(chunks.flatMap((chunk) => parser.push(Buffer.from(chunk))).map(String)).toEqual(['1']);
    expect(parser.isTooLarge).toBe(false);
  });
});

function parsed(chunks: readonly Uint8Array[]): readonly string[] {
  const parser = eventStreamParser({ mostEventBytes: 1_000_000 });
  return [...chunks.flatMap((chunk) => parser.push(chunk)), ...parser.end()].map((data) => data.toString('utf8'));
}

function chunked(bytes: Buffer, cuts: readonly number[]): readonly Buffer[] {
  const borders = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b);
  return borders.map((border, index) => bytes.subarray(borders[index - 1] ?? 0, border));
}
