import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Item } from '../../protocol/item.ts';
import { createDigester } from './request-digester.ts';
import { responsesEncoder } from './responses/encode.ts';

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** A request after another: some items of it are kept, some come anew. */
const request = fc.record({
  model: fc.constantFrom('one', 'two'),
  keep: fc.nat(8),
  sizes: fc.array(fc.constantFrom(1, 300, 30_000, 70_000, 65_520), { maxLength: 3 }),
});

it('the digest of a body is that of its bytes, whatever was digested before', () => {
  fc.assert(
    fc.property(fc.array(request, { minLength: 1, maxLength: 8 }), (requests) => {
      const [encoder, digester] = [responsesEncoder(), createDigester()];
      let input: readonly Item[] = [];
      for (const { model, keep, sizes } of requests) {
        const added = sizes.map((size) => ({ type: 'message', role: 'user', content: 'é'.repeat(size) }));
        input = [...input.slice(0, keep), ...added];
        const options = { model, parallelToolCalls: true, cacheKey: 'k', labels: { turn: String(input.length) } };
        const body = encoder.body({ options, instructions: 'Be.', tools: [], input });
        expect(digester.body(body)).toBe(sha256(Buffer.concat(body)));
      }
    }),
    { numRuns: 100 },
  );
});

it('a short digest is the beginning of the whole one', () => {
  const bytes = Buffer.from('{"type":"message"}');
  expect(createDigester().short(bytes)).toBe(sha256(bytes).slice(0, 8));
});
