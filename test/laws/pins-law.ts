import { expect } from 'vitest';
import type { Line } from '../../src/protocol/line.ts';
import type { ThreadState } from '../../src/core/state/thread-state.ts';

/** Law: what the user has pinned stays until it is taken away, whatever becomes of history. */
export function checkPins(lines: readonly Line[], { pins }: ThreadState): void {
  const texts = new Map<unknown, unknown>();
  for (const { type, payload } of lines) {
    if (type !== 'capstan_pin') continue;
    if (payload['removed'] === true) texts.delete(payload['id']);
    else texts.set(payload['id'], payload['text']);
  }
  expect(pins.map(({ id, text }) => [id, text])).toEqual([...texts]);
}
