import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type DeflateTerms, deflateTerms, MessageDeflate } from './message-deflate.ts';

const usual: DeflateTerms = { clientBits: 15, clientKeeps: true, serverKeeps: true };
const much = 1024 * 1024;

describe('what a server agrees to', () => {
  test.each<readonly [string | undefined, ReturnType<typeof deflateTerms>]>([
    [undefined, undefined],
    ['', undefined],
    ['permessage-deflate', usual],
    ['permessage-deflate; client_no_context_takeover', { ...usual, clientKeeps: false }],
    ['permessage-deflate;server_no_context_takeover ; server_max_window_bits=10', { ...usual, serverKeeps: false }],
    ['permessage-deflate; client_max_window_bits="12"', { ...usual, clientBits: 12 }],
    ['permessage-deflate; client_max_window_bits=7', 'wrong'],
    ['permessage-deflate; client_max_window_bits', 'wrong'],
    ['permessage-deflate; other=1', 'wrong'],
    ['x-webkit-deflate-frame', 'wrong'],
    ['permessage-deflate, permessage-deflate', 'wrong'],
  ])('%s', (answer, terms) => {
    expect(deflateTerms(answer)).toEqual(terms);
  });
});

const terms = fc.record({
  clientBits: fc.integer({ min: 8, max: 15 }),
  clientKeeps: fc.boolean(),
  serverKeeps: fc.boolean(),
});
const message = fc.array(fc.oneof(fc.string({ maxLength: 50 }), fc.constantFrom('', 'again and '.repeat(500))), {
  maxLength: 4,
});

test('messages of both sides come out as they went in, under all terms', async () => {
  await fc.assert(
    fc.asyncProperty(terms, fc.array(message, { maxLength: 6 }), async (agreed, messages) => {
      const [client, server] = [new MessageDeflate(agreed, 'client'), new MessageDeflate(agreed, 'server')];
      for (const pieces of messages) {
        const given = pieces.map((piece) => Buffer.from(piece));
        for (const [from, to] of [
          [client, server],
          [server, client],
        ] as const) {
          const content = await from.compress(given);
          // The window of a client may be too small for this program, and nothing cannot be smaller.
          const isPlain = (from === client && agreed.clientBits === 8) || given.every(({ length }) => length === 0);
          const back = content === undefined ? 'plain' : await to.inflate(content, much);
          expect(back).toEqual(isPlain ? 'plain' : Buffer.concat(given));
        }
      }
      client.close();
      server.close();
    }),
    { numRuns: 100 },
  );
});

test('what stood in the message before costs hardly anything', async () => {
  const client = new MessageDeflate(usual, 'client');
  const text = Buffer.from(Array.from({ length: 2000 }, (_, index) => `word ${(index * 7919) % 10_007}`).join(' '));
  const [first, second] = [await client.compress([text]), await client.compress([text])];
  expect(first!.length).toBeGreaterThan(3000);
  expect(second!.length).toBeLessThan(300);
});

test('a message that says too much, or nothing that can be read, ends there', async () => {
  const bomb = await new MessageDeflate(usual, 'server').compress([Buffer.alloc(2 * much)]);
  expect(bomb!.length).toBeLessThan(10_000);
  expect(await new MessageDeflate(usual, 'client').inflate(bomb!, much)).toBe('large');
  expect(await new MessageDeflate(usual, 'client').inflate(Buffer.from([0xff, 0xff, 0xff]), much)).toBeUndefined();
});

test('one that is closed meanwhile gives nothing, and waits for nothing', async () => {
  const client = new MessageDeflate(usual, 'client');
  const compressing = client.compress([Buffer.alloc(much, 'x')]);
  client.close();
  expect(await compressing).toBeUndefined();
});
