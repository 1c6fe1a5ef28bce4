import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { findChangesToReview } from '../../src/engine/review/changes-to-review.ts';
import { noNamespaces } from '../harness/namespaces.ts';
import { placeEngine } from '../harness/place-engine.ts';
import { scene, threadId, withoutSandbox } from '../harness/scene.ts';

/** The workspace as seen from the home; `.` is the folder around it. */
const workspaces = { 'the home': 'home', 'a link to the home': 'link', "the home's parent": '.' } as const;

async function placeIn(workspace: string, turns: number, cmd = 'echo hello') {
  const turn = [answer({ items: [callTool('exec_command', { cmd })] }), answer({ items: [say('done')] })];
  const root = mkdtempSync(join(tmpdir(), 'capstan-own-home-'));
  const script = Array.from({ length: turns }, () => turn).flat();
  const { place } = await scene(script, withoutSandbox, { names: { root, home: 'home', workspace: 'elsewhere' } });
  symlinkSync('home', join(root, 'link'));
  const cwd = join(root, workspace);
  return { place, cwd, run: (...words: readonly string[]) => place.runWith({ cwd }, ...words) };
}

function snapshotFiles(home: string): readonly string[] {
  const names = readdirSync(home, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.startsWith('capstan/snapshots/')).toSorted();
}

it.each(Object.entries(workspaces))(
  'with %s as the workspace, the home is no part of undo or search',
  async (_, workspace) => {
    const { place, cwd, run } = await placeIn(workspace, 4);
    const notes = join(cwd, 'notes.txt');
    writeFileSync(notes, 'one\n');
    const id = threadId(await run('exec', '--json', '--skip-git-repo-check', 'first'));
    const few = snapshotFiles(place.home);
    await run('exec', '--skip-git-repo-check', 'another thread');
    expect(snapshotFiles(place.home)).toEqual(few);
    writeFileSync(notes, 'one\nmine\n');
    await run('exec', 'resume', id, '--skip-git-repo-check', 'second');
    await run('exec', '--skip-git-repo-check', 'a third thread');
    const before = snapshotFiles(place.home);
    const packs = before.filter((name) => name.endsWith('.pack'));
    const kept = packs.map((name) => readFileSync(join(place.home, name), 'utf8')).join('');
    expect(kept).not.toMatch(/rollout|config\.toml|session_meta/);

    const config = readFileSync(join(place.home, 'config.toml'), 'utf8');
    await run('threads', 'rollback', id, '--turns', '2', '--both', '--force', '--meanwhile');
    expect(before.filter((name) => !snapshotFiles(place.home).includes(name))).toEqual([]);
    await run('threads', 'undo-rollback', id);
    await run('threads', 'restore', id, '--undo');
    expect(readFileSync(notes, 'utf8')).toBe('one\nmine\n');
    expect(readFileSync(join(place.home, 'config.toml'), 'utf8')).toBe(config);
    expect((await run('threads', 'files', id)).stdout).not.toMatch(/sessions|capstan\/|\.pack/);

    const found = (await run('files', 'o')).stdout;
    expect(found).not.toMatch(/config\.toml|rollout|\.pack|history/);
    expect(found.includes('notes.txt')).toBe(workspace === '.');
  },
);

it('a folder of the user inside the home is a workspace like any other', async () => {
  const { place, run } = await placeIn('home/worktrees/x', 1, 'echo made > made');
  mkdirSync(join(place.home, 'worktrees/x'), { recursive: true });
  const id = threadId(await run('exec', '--json', '--skip-git-repo-check', 'go'));
  const made = join(place.home, 'worktrees/x/made');
  expect(readFileSync(made, 'utf8')).toBe('made\n');
  expect((await run('files', 'made')).stdout).toContain('made');
  await run('threads', 'rollback', id, '--both');
  expect(existsSync(made)).toBe(false);
});

it.skipIf(noNamespaces)('a review of new files shows none of the home, and names as they are', async () => {
  const { place, cwd } = await placeIn('.', 0);
  execFileSync('git', ['init', '--quiet'], { cwd: place.root });
  const names = ['grün', '🎉', 'a"b', 'new\nline', 'esc\u001b[31m'];
  for (const name of names) writeFileSync(join(place.root, name), 'x\n');
  const engine = await placeEngine({ ...place, workspace: cwd });
  const sandbox = await engine.openSandbox({ cwd });
  if ('code' in sandbox) throw new Error(sandbox.message);
  const changes = await findChangesToReview(sandbox, { kind: 'uncommitted' });
  const lines = 'code' in changes ? [changes.message] : changes.diff.split('\n');
  expect(lines.filter((line) => line.startsWith('+++'))).toEqual([
    '+++ "b/a\\"b"',
    '+++ "b/esc\\033[31m"',
    '+++ b/grün',
    '+++ "b/new\\nline"',
    '+++ b/🎉',
  ]);
});
