import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { ThreadHits, ThreadSummary } from '../../src/protocol/thread.ts';
import { answer, say } from '../../src/testing/index.ts';
import { AppServer } from './app-server.ts';
import { runCodex } from './codex.ts';
import { scene, threadOf } from './scene.ts';

/** A printed summary: the location of a thread is called a path in it. */
type PrintedThread = Omit<ThreadSummary, 'location'> & { readonly path: string };

// Codex itself puts a fork into no list until it has a message, and finds no text that it took over.
it('Capstan lists and finds threads of Codex, a fork with what it took over', async () => {
  const { place } = await scene(() => answer({ items: [say('In the cellar.')] }));
  const id = threadOf(await runCodex(place, '-s', 'read-only', 'Where is the lamp?'));
  await runCodex(place, '-c', 'model_reasoning_effort="high"', 'resume', id, 'Sure?');
  const server = await AppServer.start(place);
  const forked = await server.call('thread/fork', { threadId: id });
  await server.close();
  const fork = (forked['thread'] as JsonObject)['id'];

  const page = JSON.parse((await place.run('threads', 'list', '--json')).stdout) as { threads: PrintedThread[] };
  const shown = page.threads.map(({ path: _path, createdAt: _created, updatedAt: _updated, ...thread }) => thread);
  const thread = {
    preview: 'Where is the lamp?',
    turns: 2,
    totalTokens: expect.any(Number),
    cwd: place.workspace,
    provider: 'scripted',
    approval: 'never',
    model: 'gpt-5.5',
    effort: 'high',
    sandbox: 'workspace-write',
    mode: 'default',
    archived: false,
    compressed: false,
  };
  expect(shown.toSorted((one, other) => (one.id < other.id ? -1 : 1))).toEqual([
    { id, ...thread, source: 'exec' },
    { id: fork, ...thread, source: 'vscode', forkedFrom: id },
  ]);

  const found = JSON.parse((await place.run('threads', 'search', 'cellar', '--json')).stdout) as ThreadHits;
  expect(found.hits.map((hit) => hit.thread.id).toSorted()).toEqual([id, fork].toSorted());
});
