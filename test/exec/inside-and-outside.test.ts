import { expect, it } from 'vitest';
import { answer, say } from '../../src/testing/index.ts';
import { runInside } from '../harness/capstan-inside.ts';
import type { Finished } from '../harness/run-capstan.ts';
import { onlyWorkspace, scene, threadId } from '../harness/scene.ts';

/** Most suites run commands inside the test: what they see must be what a process prints, and how it ends. */
it('a command inside a test prints what a process prints, and ends as it does', async () => {
  const { place } = await scene(() => answer({ items: [say('Yes.')] }), onlyWorkspace);
  const same = ({ code, signal, stdout, stderr }: Finished) => ({ code, signal, stdout, stderr });
  const id = threadId(await place.start(['exec', '--json', 'one']).finished);
  const resumed = await runInside(place, ['exec', '--json', 'resume', id, 'two']);
  expect([resumed.code, threadId(resumed)], resumed.stderr).toEqual([0, id]);
  const commands = [
    ['threads', 'show', id],
    ['threads', 'list', '--json'],
    ['context', id, '--json'],
    ['envelope', id, '--diff', '1'],
    ['replay', id],
    ['replay', id, '--request', '2', '--print'],
    ['config', 'explain', 'model'],
    ['threads', 'rollback', id, '--to', '9'],
    ['exec', '--json', 'resume', 'nobody', 'three'],
    ['exec', '--no-such-option'],
  ];
  const outside = await Promise.all(commands.map((words) => place.start(words).finished));
  for (const [at, words] of commands.entries()) {
    expect(same(await runInside(place, words)), words.join(' ')).toEqual(same(outside[at]!));
  }
});
