import { setImmediate as settled } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { CallOrder, type PlaceInOrder } from './call-order.ts';

/** Calls by name, and which of them have come to run. */
function createCalls() {
  const order = new CallOrder();
  const log: string[] = [];
  const places = new Map<string, PlaceInOrder>();
  return {
    log,
    begin(name: string, { alone = false } = {}): void {
      const place = order.begin(alone);
      places.set(name, place);
      if (place.before === undefined) log.push(name);
      else void place.before.then(() => log.push(name));
    },
    async end(name: string): Promise<void> {
      places.get(name)!.leave();
      await settled();
    },
  };
}

test('calls run side by side; one that runs alone waits for those before it, and those after it wait', async () => {
  const { begin, end, log } = createCalls();
  begin('a');
  begin('b');
  begin('patch', { alone: true });
  begin('c');
  await end('a');
  expect(log).toEqual(['a', 'b']);
  await end('b');
  expect(log).toEqual(['a', 'b', 'patch']);
  await end('patch');
  expect(log).toEqual(['a', 'b', 'patch', 'c']);
});
