import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { type LiveNews, liveThreads, type ThreadId, words } from '../../src/index.ts';
import { answer, hang, say } from '../../src/testing/index.ts';
import { variablesWithCompiled } from '../harness/compiled-once.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';
import { Listener, opened } from '../live/live-scene.ts';

it('after SIGKILL in the middle of an answer nothing of its previews was said', async () => {
  const spoken = answer({ items: [say('never said '.repeat(100))], deltas: true });
  const scene = await LiveThread.in([hang({ afterBytes: 3000, of: spoken }), answer({ items: [say('done')] })]);
  const { home, workspace } = scene.place;
  const program = join(import.meta.dirname, 'streaming-writer.ts');
  const child = spawn(process.execPath, [program, home, workspace], {
    env: variablesWithCompiled(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  whenTestEnds(() => void child.kill('SIGKILL'));
  const seen: (LiveNews & { readonly id: ThreadId })[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    seen.push(JSON.parse(line) as (typeof seen)[number]);
    if (seen.at(-1)?.kind === 'preview') break;
  }
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(seen.at(-1)).toMatchObject({ event: { kind: 'text', text: expect.stringContaining('never said') } });
  expect(JSON.stringify(scene.place.lines())).not.toContain('never said');

  const threads = liveThreads(await scene.engine());
  whenTestEnds(() => threads.close());
  const thread = await opened(threads.load(seen[0]!.id));
  const listener = new Listener(thread, { after: -1 });
  expect(await thread.submit({ input: words('again') })).toMatchObject({ kind: 'completed' });
  await listener.sees('turn-completed');
  expect(JSON.stringify(listener.seen)).not.toContain('never said');
  const before = seen.flatMap((news) => (news.kind === 'recorded' ? [`${news.ordinal} ${news.event.kind}`] : []));
  expect(listener.story.slice(0, before.length)).toEqual(before);
  expect(listener.story.filter((each) => each.endsWith('turn-aborted'))).toHaveLength(1);
});
