import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { words } from '../../src/index.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { Listener, liveScene, opened } from './live-scene.ts';

const command = (cmd: string) => answer({ items: [callTool('exec_command', { cmd })] });
const done = answer({ items: [say('Done.')] });

it('one who follows from the beginning learns when it has caught up, also where the last line holds no event', async () => {
  const { threads, start } = await liveScene([done]);
  const source = await start();
  await source.submit({ input: words('Hello.') });
  const fork = await opened(threads.fork(source.id, { kind: 'latest' }));
  const caughtUp = vi.fn<() => void>();
  const listener = new Listener(fork, { after: -1, caughtUp });
  await vi.waitUntil(() => caughtUp.mock.calls.length > 0, { timeout: 20_000 });
  expect(listener.recorded.at(-1)?.event.kind).toBe('turn-completed');
  expect(fork.place).toBeGreaterThan(listener.recorded.at(-1)!.ordinal);
  const now = vi.fn<() => void>();
  const late = new Listener(source, { caughtUp: now });
  await vi.waitUntil(() => now.mock.calls.length > 0, { timeout: 20_000 });
  expect([caughtUp.mock.calls.length, now.mock.calls.length, late.seen]).toEqual([1, 1, []]);
});

it('the words of the user, what happened, and what a restore would change can be read beforehand', async () => {
  const { engine, threads, start, cwd } = await liveScene([
    command('echo one > a; echo two > b'),
    done,
    command('echo other > a; rm b; mkdir sub; echo new > sub/c'),
    done,
  ]);
  const thread = await start({ sandbox: 'danger-full-access' });
  await thread.submit({ input: words('First,\nin two lines.') });
  await thread.submit({ input: words('Second.') });
  const prompts = await engine.stored.prompts(thread.id);
  expect(prompts.map(({ words: said, messages }) => [said, messages])).toEqual([
    ['First,\nin two lines.', [{ words: 'First,\nin two lines.', pictures: [] }]],
    ['Second.', [{ words: 'Second.', pictures: [] }]],
  ]);
  const kinds: string[] = [];
  for await (const { event } of engine.stored.events(thread.id)) kinds.push(event.kind);
  expect(kinds.filter((kind) => kind.startsWith('turn-'))).toEqual([
    'turn-started',
    'turn-completed',
    'turn-started',
    'turn-completed',
  ]);
  writeFileSync(join(cwd, 'mine'), 'mine\n');
  const target = { beforeTurn: prompts[1]!.turnId };
  const foreseen = await engine.restoreFiles(thread.id, target, { dryRun: true, diffs: true, force: false });
  expect(foreseen).toMatchObject({
    kind: 'restored',
    kept: [],
    diffs: [
      { path: 'a', kind: 'changed', diff: { kind: 'lines', text: '@@ -1 +1 @@\n-other\n+one\n' } },
      { path: 'b', kind: 'added', diff: { kind: 'lines', text: '@@ -0,0 +1 @@\n+two\n' } },
      { path: 'sub/c', kind: 'deleted', diff: { kind: 'lines', text: '@@ -1 +0,0 @@\n-new\n' } },
    ],
  });
  // A turn that was taken back is no place to go back to.
  await threads.whole(thread.id, (stored) => stored.rollback(thread.id, { turns: 1 }));
  expect(await engine.stored.prompts(thread.id)).toEqual([prompts[0]]);
});
