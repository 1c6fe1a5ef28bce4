import { mkdirSync, readdirSync, readFileSync, lstatSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { needsNamespaces } from '../harness/namespaces.ts';
import { scene, threadId } from '../harness/scene.ts';

needsNamespaces();

const command = [
  'echo two > changed; rm deleted; rm -r folder; echo file > folder; rm file; mkdir file; echo in > file/in',
  'mkdir -p new/deep; echo new > new/deep/new; chmod 700 mode; ln -s changed link',
].join('; ');

/** Every path but what a sandbox may have to make, with mode and content. */
function listing(root: string): ReadonlyMap<string, string> {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' });
  const shown = names.filter((name) => !/^(\.git|\.agents|\.codex|\.aws|\.capstan|HEAD)(\/|$)/.test(name));
  return new Map(
    shown.toSorted().map((name) => {
      const found = lstatSync(join(root, name));
      const content = found.isFile() ? readFileSync(join(root, name), 'utf8') : '';
      return [name, `${(found.mode & 0o170777).toString(8)} ${content}`];
    }),
  );
}

test('a restore that is killed before any of its changes can be undone whole', { timeout: 600_000 }, async () => {
  const { place } = await scene([
    answer({ items: [callTool('exec_command', { cmd: command })] }),
    answer({ items: [say('done')] }),
  ]);
  const { workspace } = place;
  for (const folder of ['folder', 'mode']) mkdirSync(join(workspace, folder));
  for (const name of ['changed', 'deleted', 'folder/inside', 'file']) writeFileSync(join(workspace, name), `${name}\n`);
  const id = threadId(await place.run('exec', '--json', 'go'));
  const before = listing(workspace);
  const preload = `--import=${join(import.meta.dirname, 'kill-at-change.mjs')}`;
  const words = ['threads', 'restore', id, '--before-turn', '1'];
  let halfway = 0;
  /** Kills a restore before that change. Undefined: it ended before. */
  const killedAt = async (at: number) => {
    const env = { CAPSTAN_TEST_KILL_AT: String(at), NODE_OPTIONS: preload };
    const { signal } = await place.start(words, { env }).finished;
    if (signal === null) return undefined;
    const isHalf = JSON.stringify([...listing(workspace)]) !== JSON.stringify([...before]);
    if (isHalf) halfway += 1;
    const { code, stderr } = await place.run('threads', 'restore', id, '--undo');
    return [at, isHalf && code !== 0 ? stderr : '', listing(workspace)];
  };
  let at = 1;
  for (let end = await killedAt(at); end !== undefined; end = await killedAt(++at))
    expect(end).toEqual([at, '', before]);
  expect(listing(workspace).get('changed')).toContain('changed');
  expect(halfway).toBeGreaterThan(8);
});
