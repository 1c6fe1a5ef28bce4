import fc from 'fast-check';
import { expect, it } from 'vitest';
import { anthropicFormat } from '../../src/adapters/model/anthropic/client.ts';
import { lawRuns } from '../harness/law-runs.ts';
import { randomTurns } from '../laws/random-turns.ts';
import { playAndCheck } from '../laws/thread-laws.ts';
import { brokenRules } from './messages-rules.ts';

const runs = lawRuns({ few: 8, usual: 15 });

it('random threads over the Messages API obey the laws, and no request breaks a rule', async () => {
  let [installed, hooked] = [0, 0];
  await fc.assert(
    fc.asyncProperty(randomTurns, async (turns) => {
      const met = await playAndCheck(turns, { wire: anthropicFormat, broken: brokenRules });
      installed += met.installed;
      hooked += met.hooked;
    }),
    { numRuns: runs },
  );
  expect(installed).toBeGreaterThan(0);
  expect(hooked).toBeGreaterThan(runs);
}, 600_000);
