import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Outbox, missedMethod } from './client-link.ts';

/** A client that takes events when the test says so. */
function client() {
  const outbox = new Outbox();
  const sent: (number | string)[] = [];
  const taking: (() => void)[] = [];
  const post = (index: number): void =>
    outbox.post({
      method: 'event',
      params: { index },
      send: ({ method, params }) => {
        sent.push(method === missedMethod ? `missed ${String(params.count)}` : Number(params.index));
        return new Promise<void>((resolve) => taking.push(resolve));
      },
    });
  const take = async (count: number): Promise<void> => {
    for (const resolve of taking.splice(0, count)) resolve();
    await new Promise(setImmediate);
  };
  return { outbox, sent, post, take };
}

test('nothing is lost without being counted, and the order stays', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 800 }), { maxLength: 12 }), async (steps) => {
      const { outbox, sent, post, take } = client();
      let posted = 0;
      for (const [at, count] of steps.entries()) {
        if (at % 2 === 1) await take(count);
        else for (let each = 0; each < count; each += 1) post(posted++);
      }
      while (sent.length < 3000) {
        const before = sent.length;
        await take(1000);
        if (sent.length === before) break;
      }
      await outbox.handed();
      await outbox.ready();
      const indexes = sent.filter((event) => typeof event === 'number');
      expect(indexes).toEqual(indexes.toSorted((a, b) => a - b));
      const missed = sent.filter((event) => typeof event === 'string').map((event) => Number(event.slice(7)));
      expect(indexes.length + missed.reduce((sum, count) => sum + count, 0)).toBe(posted);
    }),
    { numRuns: 30 },
  );
});

test('a client that does not take anything holds up no one, and is waited for no longer when it is gone', async () => {
  const { outbox, sent, post } = client();
  for (let index = 0; index < 5000; index += 1) post(index);
  expect(sent).toHaveLength(32);
  const waiting = Promise.all([outbox.ready(), outbox.handed()]);
  outbox.close();
  await waiting;
  post(5000);
  expect(sent).toHaveLength(32);
});
