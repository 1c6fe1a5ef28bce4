import { noUsage } from '../../protocol/usage.ts';
import { expect, test, vi } from 'vitest';
import type { TurnId } from '../../protocol/ids.ts';
import { Subscribers } from './event-stream.ts';

const turnId = 't' as TurnId;

test('one that throws disturbs no other, and its fault reaches its program', () => {
  vi.useFakeTimers();
  const subscribers = new Subscribers();
  const heard: string[] = [];
  const fault = new Error('mine');
  subscribers.add({
    event: () => {
      throw fault;
    },
    provisional: () => {
      throw fault;
    },
  });
  subscribers.add({ event: ({ kind }) => heard.push(kind), provisional: ({ kind }) => heard.push(kind) });
  subscribers.tell({ kind: 'turn-started', turnId, usage: noUsage });
  subscribers.preview({ provisional: true, kind: 'text', turnId, itemId: 'a', text: 'x' });
  expect(heard).toEqual(['turn-started', 'text']);
  expect(() => vi.runAllTimers()).toThrow(fault);
  vi.useRealTimers();
});

test('what was begun and not completed is dropped when the thread ends, before its end is reported', () => {
  const subscribers = new Subscribers();
  const heard: string[] = [];
  subscribers.add({
    provisional: ({ kind, itemId }) => heard.push(`${kind} ${itemId}`),
    ended: () => heard.push('ended'),
  });
  for (const itemId of ['a', 'b']) {
    subscribers.preview({ provisional: true, kind: 'text', turnId, itemId, text: 'x' });
  }
  subscribers.tell({ kind: 'item-completed', turnId, item: { kind: 'agent-message', id: 'a', text: 'x' } });
  subscribers.end();
  expect(heard).toEqual(['text a', 'text b', 'dropped b', 'ended']);
});
