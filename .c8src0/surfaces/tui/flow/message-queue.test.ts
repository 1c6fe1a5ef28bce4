import { expect, it } from 'vitest';
import { draftFromText } from '../draft/draft.ts';
import { WaitingMessages } from './message-queue.ts';

it('of messages that say the same, the model reads the oldest first, and the others wait', () => {
  const waiting = new WaitingMessages();
  const accepted = Promise.resolve(undefined);
  const steers = ['One.', 'Two.', 'Two.', 'Three.'].map((text) => ({ draft: draftFromText(text), accepted }));
  for (const steer of steers) waiting.steer(steer);
  waiting.read('Two.');
  expect(waiting.steers).toEqual([steers[0], steers[2], steers[3]]);
  expect(waiting.steers[1]).toBe(steers[2]);
  waiting.read('Four.');
  expect(waiting.steers).toHaveLength(3);
});
