import { expect, it } from 'vitest';
import type { ThreadEvent } from '../../../protocol/thread-event.ts';
import { checkpointHookObjection } from './compact.ts';
import type { Turn } from '../thread-parts.ts';

it('a hook that takes too long has no opinion', async () => {
  const events: ThreadEvent[] = [];
  const slept: number[] = [];
  const turn = {
    threadId: 'thread',
    turnId: 'turn',
    envelope: { workspace: { cwd: '/work' } },
    signal: new AbortController().signal,
    warned: new Set(),
    log: { tell: (event: ThreadEvent) => events.push(event) },
    parts: {
      clock: {
        now: () => 0,
        sleep: async (milliseconds: number) => {
          slept.push(milliseconds);
        },
      },
      checkpointHooks: { before: () => new Promise(() => {}) },
    },
  } as unknown as Turn;
  const wanted = { trigger: 'auto', reason: 'context_limit', phase: 'pre_turn' } as const;
  expect(await checkpointHookObjection(turn, wanted, turn.signal)).toBeUndefined();
  expect(slept).toEqual([60_000]);
  expect(events).toEqual([
    {
      kind: 'warning',
      outcome: {
        code: 'hook-failed',
        message: 'The hook that runs before a checkpoint failed: it took too long',
        next: 'The thread continues without the hook. Fix the hook.',
      },
    },
  ]);
});
