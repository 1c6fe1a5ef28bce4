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
    again: (name: string): void =>
      void places
        .get(name)!
        .alone()
        .then(() => log.push(`${name} again`)),
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

test('another try alone waits for those that run, keeps its place before a patch, and holds back new calls', async () => {
  const { begin, end, again, log } = createCalls();
  begin('git');
  begin('slow');
  begin('patch', { alone: true });
  again('git');
  begin('late');
  await settled();
  expect(log).toEqual(['git', 'slow']);
  await end('slow');
  expect(log).toEqual(['git', 'slow', 'git again']);
  await end('git');
  expect(log).toEqual(['git', 'slow', 'git again', 'patch']);
  await end('patch');
  expect(log.at(-1)).toBe('late');
});

test('two that try again alone run one after the other, and no third between them starts beside one', async () => {
  const { begin, end, again, log } = createCalls();
  begin('a');
  begin('b');
  again('a');
  await settled();
  begin('late');
  again('b');
  await settled();
  expect(log).toEqual(['a', 'b', 'b again']);
  await end('b');
  expect(log).toEqual(['a', 'b', 'b again', 'a again']);
  await end('a');
  expect(log).toEqual(['a', 'b', 'b again', 'a again', 'late']);
});

test('of one that waits to be alone and one that waited for the same call, only one runs', async () => {
  const { begin, end, again, log } = createCalls();
  for (const name of ['a', 'b', 'c']) begin(name);
  again('a');
  begin('late');
  again('b');
  await end('c');
  expect(log.slice(3)).toEqual(['a again']);
  await end('a');
  const next = log.slice(4);
  expect(next).toHaveLength(1);
  await end(next[0] === 'late' ? 'late' : 'b');
  expect(log.slice(4).toSorted()).toEqual(['b again', 'late']);
});
