import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NotHttp } from './http-head.ts';
import { type HttpPart, HttpReader } from './http-reader.ts';
import { anyCharacter } from '../../../testing/any-character.ts';

/** What an answer says, however it was cut. */
function said(pieces: readonly Buffer[], isClosed = false) {
  const reader = new HttpReader();
  try {
    const parts = pieces.flatMap((piece) => reader.push(piece));
    const end = isClosed ? reader.ended() : undefined;
    return summary(end === undefined ? parts : [...parts, end]);
  } catch (error) {
    if (error instanceof NotHttp) return error.code;
    throw error;
  }
}

function summary(parts: readonly HttpPart[]) {
  const body = parts.flatMap((part) => (part.kind === 'bytes' ? [part.bytes] : []));
  const head = parts.find(({ kind }) => kind === 'head');
  const end = parts.find(({ kind }) => kind === 'end');
  return {
    hints: parts.filter(({ kind }) => kind === 'hint').length,
    ...(head?.kind === 'head' && { status: head.head.status, headers: { ...head.head.headers } }),
    body: Buffer.concat(body).toString('latin1'),
    end: end?.kind === 'end' ? (end.isReusable ? 'reusable' : 'last') : 'none',
  };
}

function whole(text: string, isClosed = false) {
  return said([Buffer.from(text, 'latin1')], isClosed);
}

const ok = 'HTTP/1.1 200 OK\r\n';

test.each([
  ['a length', `${ok}content-length: 2\r\n\r\nhi`, { body: 'hi', end: 'reusable' }],
  ['no length', `${ok}\r\nhi`, { body: 'hi', end: 'none' }],
  ['no reason', 'HTTP/1.1 200\r\ncontent-length: 0\r\n\r\n', { body: '', end: 'reusable' }],
  ['a status without a body', 'HTTP/1.1 204 No Content\r\n\r\n', { status: 204, end: 'reusable' }],
  ['a wish to close', `${ok}connection: Close\r\ncontent-length: 0\r\n\r\n`, { end: 'last' }],
  ['an old version', 'HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n', { end: 'last' }],
  [
    'an old one that stays',
    'HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ncontent-length: 0\r\n\r\n',
    { end: 'reusable' },
  ],
  ['something behind it', `${ok}content-length: 2\r\n\r\nhiHTTP/1.1 200`, { body: 'hi', end: 'last' }],
  ['hints', `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 x\r\na: b\r\n\r\n${ok}content-length: 0\r\n\r\n`, { hints: 2 }],
  [
    'chunks',
    `${ok}transfer-encoding: chunked\r\n\r\n2;x="y"\r\nhi\r\nA\r\n0123456789\r\n0\r\nx: y\r\n\r\n`,
    { body: 'hi0123456789', end: 'reusable' },
  ],
  [
    'values twice',
    `${ok}a: 1\r\nA: 2\r\ncontent-type: x\r\ncontent-type: y\r\n\r\n`,
    { headers: { a: '1, 2', 'content-type': 'x' } },
  ],
  ['a name that objects have', `${ok}__proto__: x\r\nconstructor: y\r\n\r\n`, { status: 200 }],
  [
    'a size of many digits',
    `${ok}transfer-encoding: chunked\r\n\r\n${'0'.repeat(20)}2\r\nhi\r\n0\r\n\r\n`,
    { body: 'hi' },
  ],
  ['many blanks in a value', `${ok}a: b${' '.repeat(60_000)}c\r\ncontent-length: 0\r\n\r\n`, { end: 'reusable' }],
  ['two empty lines before it', `\r\n\r\n${ok}content-length: 2\r\n\r\nhi`, { body: 'hi', end: 'reusable' }],
  ['values with blanks', `${ok}a:\t x y \t\r\nb:\r\n\r\n`, { headers: { a: 'x y', b: '' } }],
])('an answer with %s', (_, text, expected) => {
  expect(whole(text)).toMatchObject(expected);
});

test.each([
  ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n', 'HPE_INVALID_CONSTANT'],
  ['a page without a head', '<html>', 'HPE_INVALID_CONSTANT'],
  ['another version', 'HTTP/2.0 200 OK\r\n\r\n', 'HPE_INVALID_CONSTANT'],
  ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n', 'HPE_INVALID_CONSTANT'],
  [
    'a length and chunks',
    `${ok}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n`,
    'HPE_INVALID_TRANSFER_ENCODING',
  ],
  ['two lengths', `${ok}content-length: 2\r\ncontent-length: 3\r\n\r\n`, 'HPE_UNEXPECTED_CONTENT_LENGTH'],
  ['a length that is none', `${ok}content-length: -2\r\n\r\n`, 'HPE_INVALID_CONTENT_LENGTH'],
  ['a length in a list', `${ok}content-length: 2, 2\r\n\r\n`, 'HPE_INVALID_CONTENT_LENGTH'],
  ['a line that goes on', `${ok}a: b\r\n c\r\n\r\n`, 'HPE_INVALID_HEADER_TOKEN'],
  ['a blank before the colon', `${ok}a : b\r\n\r\n`, 'HPE_INVALID_HEADER_TOKEN'],
  ['a line feed in a value', `${ok}a: b\nc: d\r\n\r\n`, 'HPE_CR_EXPECTED'],
  ['lines that end with a line feed', 'HTTP/1.1 200 OK\na: b\n', 'HPE_CR_EXPECTED'],
  ['a later line that ends with a line feed', 'HTTP/1.1 200 OK\r\na: b\nc: d\r\n', 'HPE_CR_EXPECTED'],
  ['a head that begins wrong and never ends', 'HTTP/1.1 banana\r\n', 'HPE_INVALID_CONSTANT'],
  ['many empty lines before it', `\r\n\r\n\r\n${ok}content-length: 0\r\n\r\n`, 'HPE_INVALID_CONSTANT'],
  ['an empty line of a line feed alone', `\n${ok}`, 'HPE_INVALID_CONSTANT'],
  ['an empty line behind a hint', `HTTP/1.1 103 x\r\n\r\n\r\n\r\n\r\n`, 'HPE_INVALID_CONSTANT'],
  ['a head that ends with a line feed', `${ok}a: b\r\n\n`, 'HPE_CR_EXPECTED'],
  ['a size that is none', `${ok}transfer-encoding: chunked\r\n\r\nx\r\n`, 'HPE_INVALID_CHUNK_SIZE'],
  ['a chunk that is longer', `${ok}transfer-encoding: chunked\r\n\r\n1\r\nhi\r\n`, 'HPE_STRICT'],
  ['a line feed alone', `${ok}transfer-encoding: chunked\r\n\r\n1\nh\r\n`, 'HPE_STRICT'],
  ['a head without end', `${ok}${'a: b\r\n'.repeat(20_000)}`, 'HPE_HEADER_OVERFLOW'],
  [
    'trailers without end',
    `${ok}transfer-encoding: chunked\r\n\r\n0\r\n${'a: b\r\n'.repeat(20_000)}`,
    'HPE_HEADER_OVERFLOW',
  ],
  ['a size without end', `${ok}transfer-encoding: chunked\r\n\r\n${'0'.repeat(2000)}`, 'HPE_INVALID_CHUNK_SIZE'],
])('no answer: %s', (_, text, code) => {
  expect(whole(text)).toBe(code);
});

test('a body without a length ends with its connection, and no other does', () => {
  expect(whole(`${ok}\r\nhi`, true)).toMatchObject({ body: 'hi', end: 'last' });
  expect(whole(`${ok}content-length: 3\r\n\r\nhi`, true)).toMatchObject({ body: 'hi', end: 'none' });
  expect(whole(`${ok}transfer-encoding: chunked\r\n\r\n2\r\nhi\r\n`, true)).toMatchObject({ body: 'hi', end: 'none' });
});

test('what opens a tunnel is followed by another protocol, whatever it says of a length', () => {
  const reader = new HttpReader({ isTunnel: true });
  const text = `${ok}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n\u0016\u0003`;
  expect(summary(reader.push(Buffer.from(text, 'latin1')))).toMatchObject({ body: '\u0016\u0003', end: 'none' });
});

describe('however an answer is cut', () => {
  const token = fc.string({ unit: fc.constantFrom(...'abcXYZ-'), minLength: 1, maxLength: 6 });
  const bytes = fc.string({ unit: anyCharacter, maxLength: 12 }).map((text) => Buffer.from(text).toString('latin1'));
  const chunked = fc.array(bytes, { maxLength: 5 }).map((pieces) => {
    const chunks = pieces.filter((piece) => piece !== '');
    const lines = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`);
    return { header: 'transfer-encoding: chunked\r\n', body: `${lines.join('')}0\r\n\r\n` };
  });
  const sized = bytes.map((body) => ({ header: `content-length: ${body.length}\r\n`, body }));
  const answer = fc
    .record({
      hint: fc.constantFrom('', '\r\n', '\r\n\r\n', 'HTTP/1.1 103 x\r\nlink: y\r\n\r\n'),
      status: fc.constantFrom('200 OK', '404', '500 x y', '204 No'),
      headers: fc.array(fc.tuple(token, token), { maxLength: 4 }),
      framed: fc.oneof(
        chunked,
        sized,
        bytes.map((body) => ({ header: '', body })),
      ),
      damage: fc.option(fc.record({ at: fc.nat(), to: fc.nat(255) }), { freq: 3, nil: undefined }),
    })
    .map(({ hint, status, headers, framed, damage }) => {
      const lines = headers.map(([name, value]) => `x-${name}: ${value}\r\n`).join('');
      const text = Buffer.from(`${hint}HTTP/1.1 ${status}\r\n${lines}${framed.header}\r\n${framed.body}`, 'latin1');
      if (damage !== undefined) text[damage.at % text.length] = damage.to;
      return text;
    });

  test('it says the same', () => {
    fc.assert(
      fc.property(answer, fc.array(fc.nat(), { maxLength: 8 }), fc.boolean(), (text, cuts, isClosed) => {
        const places = [0, ...cuts.map((cut) => cut % (text.length + 1)), text.length].toSorted((a, b) => a - b);
        const pieces = places.slice(1).map((place, index) => text.subarray(places[index], place));
        const [cut, uncut] = [said(pieces, isClosed), said([text], isClosed)];
        // Bytes behind the end may come when the answer is over: the pool of connections sees them then.
        const aside = (value: typeof cut) =>
          typeof value === 'string' ? value : { ...value, end: value.end === 'none' };
        expect(aside(cut)).toEqual(aside(uncut));
      }),
      { numRuns: 500 },
    );
  });
});
