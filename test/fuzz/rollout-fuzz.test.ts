import { expect, it } from 'vitest';
import { lawRuns } from '../harness/law-runs.ts';
import { testSeed } from '../harness/seed.ts';
import { sampleRollout } from './rollout-corpus.ts';
import { fuzzRollouts } from './rollout-fuzz.ts';

it('the rollout that is damaged has a line of every type', async () => {
  const { lines } = await sampleRollout();
  const types = new Set(lines.map((line) => (JSON.parse(line.toString('utf8')) as { type: string }).type));
  expect([...types].toSorted()).toEqual([
    'capstan_call',
    'capstan_request',
    'capstan_sent',
    'capstan_step',
    'capstan_tool_set',
    'compacted',
    'event_msg',
    'response_item',
    'session_meta',
    'token_usage_record',
    'turn_context',
    'world_state',
  ]);
});

it('damaged rollouts crash no reader, and keep what stands before the damage', async () => {
  const count = lawRuns({ few: 120, usual: 300 });
  const figures = await fuzzRollouts({ seed: testSeed, count, turnEvery: 30 });
  expect(figures.resumed + figures.refused).toBe(count);
  expect(figures.resumed).toBeGreaterThan(count / 2);
  expect(figures.refused).toBeGreaterThan(0);
  expect(figures.kept).toBeGreaterThan(3 * count);
  expect(figures.compared).toBeGreaterThan(0.3 * count);
}, 120_000);
