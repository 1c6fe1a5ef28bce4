import { expect, it } from 'vitest';
import { hangs, says, saysLong, talk, task } from '../compaction/talk.ts';
import { isCompaction } from '../compaction/summariser.ts';
import { scene, threadId } from '../harness/scene.ts';

it('a `threads compact` that is killed while the model writes leaves history as it was, and the model hears nothing of it', async () => {
  const asked = Promise.withResolvers<void>();
  const { model, place } = await scene(
    talk([saysLong(), says('Done.')], (request) => {
      asked.resolve();
      return hangs(request);
    }),
  );
  const id = threadId(await place.start(['exec', '--json', task]).finished);
  const compacting = place.start(['threads', 'compact', id]);
  await asked.promise;
  compacting.child.kill('SIGKILL');
  expect((await compacting.finished).signal).toBe('SIGKILL');
  const resumed = await place.start(['exec', 'resume', id, 'Go on.']).finished;
  expect(resumed.code).toBe(0);
  expect(resumed.stderr).toContain('A compaction of thread');
  expect(resumed.stderr).toContain('The history is unchanged.');
  expect(resumed.stderr).not.toMatch(/in part|In flight/);
  const last = model.requests.findLast((request) => !isCompaction(request))!;
  expect(JSON.stringify(last.body)).not.toMatch(/turn_aborted|done in part/);
}, 60_000);
