import fc from 'fast-check';
import { expect, inject, it } from 'vitest';
import type { ItemDraft } from '../../src/testing/index.ts';
import { quietTurn, type RandomTurn, randomTurns } from '../laws/random-turns.ts';
import { playAndCheck } from '../laws/thread-laws.ts';

it('a great many random threads obey the laws', async () => {
  const compactions = { installed: 0, failed: 0, lost: 0 };
  await fc.assert(
    fc.asyncProperty(randomTurns, async (turns) => {
      const { installed, failed, lost } = await playAndCheck(turns);
      compactions.installed += installed;
      compactions.failed += failed;
      compactions.lost += lost;
    }),
    { numRuns: 250 * inject('runFactor') },
  );
  // Each of the things that can happen to a compaction has happened.
  expect(Math.min(...Object.values(compactions))).toBeGreaterThan(10);
}, 1_800_000);

// Random threads rarely meet the moment: each sync of a turn that asks is the last one once.
it('threads that crash while they wait for an answer obey the laws, and some turns are continued', async () => {
  const asks = { cmd: 'sudo true', sandbox_permissions: 'require_escalated' };
  const call: ItemDraft = { type: 'function_call', name: 'exec_command', arguments: JSON.stringify(asks) };
  const asking: RandomTurn = {
    ...quietTurn,
    world: { approval: 'on-request' },
    steps: [{ items: [call], fault: 'none', meanwhile: {} }],
    accident: 'crash-at-sync',
  };
  let continuations = 0;
  for (let at = 0; at < 16; at++)
    continuations += (await playAndCheck([{ ...asking, at }, quietTurn, quietTurn])).continued;
  expect(continuations).toBeGreaterThan(0);
}, 120_000);
