import { expect, test } from 'vitest';
import type { GatheredFacts } from '../../../core/envelope/facts.ts';
import type { Settings } from '../../../core/envelope/settings.ts';
import type { ThreadParts } from '../thread-parts.ts';
import { reuseFirstFacts } from './preview-request.ts';

const settings = { cwd: '/a', model: 'm', profile: { type: 'read-only' } } as unknown as Settings;

function looking() {
  let [looks, now] = [0, 100];
  const look = (): GatheredFacts =>
    ({ looks: ++looks, time: { epochMs: now, date: '2026-01-01', timezone: 'Etc/UTC' } }) as never;
  const parts = { clock: { now: () => now }, gatherFacts: async () => look() } as unknown as ThreadParts;
  const { gatherFacts } = reuseFirstFacts(parts);
  return {
    gather: async (given: Settings) =>
      (await gatherFacts(given)) as unknown as { looks: number; time: { epochMs: number } },
    pass: () => void (now += 5),
  };
}

test('the first turn begins with what the thread began with, at its own time; the next looks again', async () => {
  const { gather, pass } = looking();
  const found = [];
  for (let i = 0; i < 4; i++) {
    found.push(await gather(structuredClone(settings)));
    pass();
  }
  expect(found.map(({ looks }) => looks)).toEqual([1, 1, 2, 3]);
  expect(found.map(({ time }) => time.epochMs)).toEqual([100, 105, 110, 115]);
});

test.each<[string, Partial<Settings>]>([
  ['in another folder', { cwd: '/b' }],
  ['of another model', { model: 'n' }],
])('a turn %s looks for itself, and so does the one after it', async (_, change) => {
  const { gather } = looking();
  await gather(settings);
  expect((await gather({ ...settings, ...change })).looks).toBe(2);
  expect((await gather(settings)).looks).toBe(3);
});
