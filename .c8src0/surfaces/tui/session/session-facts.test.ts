import { expect, it } from 'vitest';
import type { Engine } from '../../../engine/engine.ts';
import type { LiveThread } from '../../../engine/live/live-thread-types.ts';
import { SessionFacts } from './status-line.ts';

it('what git says is read anew with each refresh', async () => {
  const facts = new SessionFacts();
  const thread = { place: undefined, settings: { cwd: '/w' } } as unknown as LiveThread;
  const seen: unknown[] = [];
  for (const branch of ['main', 'topic', undefined]) {
    const engine = { lookAtFolder: () => ({ repository: '/w' }), branchAt: () => branch } as unknown as Engine;
    await facts.refresh(engine, thread);
    seen.push(facts.branch);
  }
  expect(seen).toEqual(['main', 'topic', undefined]);
});
