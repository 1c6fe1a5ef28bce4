import { expect } from 'vitest';
import type { Line } from '../../src/protocol/line.ts';
import type { ThreadState } from '../../src/state/thread-state.ts';

/** Law: what the user has pinned stays until it is taken away, whatever becomes of history. A rollback takes back pins, too. */
export function checkPins(lines: readonly Line[], { pins }: ThreadState): void {
  if (lines.some(({ payload }) => payload['type'] === 'thread_rolled_back')) return;
  const texts = new Map<unknown, unknown>();
  for (const { type, payload } of lines) {
    if (type !== 'capstan_pin') continue;
    if (payload['removed'] === true) texts.delete(payload['id']);
    else texts.set(payload['id'], payload['text']);
  }
  expect(pins.map(({ id, text }) => [id, text])).toEqual([...texts]);
}
