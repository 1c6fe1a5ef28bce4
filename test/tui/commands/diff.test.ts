import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { noNamespaces } from '../../harness/namespaces.ts';
import { scene } from '../../harness/scene.ts';
import { openIn } from '../tui-scene.ts';

/** A changed file, and a program of the repository that has the name of git. */
async function changed() {
  const built = await scene([]);
  const cwd = built.place.workspace;
  const git = (...words: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=b', ...words], { cwd, stdio: 'ignore' });
  writeFileSync(join(cwd, 'a.txt'), 'one\n');
  git('init', '-q');
  git('add', 'a.txt');
  git('commit', '-qm', 'x');
  writeFileSync(join(cwd, 'a.txt'), 'two\n');
  writeFileSync(join(cwd, 'git'), '#!/bin/sh\necho hijacked\n');
  chmodSync(join(cwd, 'git'), 0o755);
  return built;
}

describe('/diff', () => {
  it('asks the git of the user, and none of the repository', async () => {
    const built = await changed();
    vi.stubEnv('PATH', `.:${built.place.workspace}:${process.env['PATH']}`);
    const { sees, say } = await openIn(built, { kind: 'new' });
    await sees('Context');
    say('/diff');
    const rows = (await sees('+two')).join('\n');
    expect(rows).not.toMatch(/^\s*hijacked/m);
  });

  it.skipIf(noNamespaces)('shows names as they are', async () => {
    const built = await changed();
    for (const name of ['a-grün', 'a-🎉']) writeFileSync(join(built.place.workspace, name), '');
    const { sees, say } = await openIn(built, { kind: 'new' });
    await sees('Context');
    say('/diff');
    expect((await sees('a-🎉')).join('\n')).toContain('diff --git a/a-grün b/a-grün');
  });

  it('says that there is no repository', async () => {
    const built = await scene([]);
    rmSync(join(built.place.workspace, '.git'), { recursive: true });
    const { sees, say } = await openIn(built, { kind: 'new' });
    await sees('Context');
    say('/diff');
    const rows = (await sees('is not in a git repository')).join('\n');
    expect(rows).not.toContain('Nothing differs');
  });

  it('says that git could not be run, instead of no difference', async () => {
    const built = await changed();
    const programs = join(built.place.root, 'programs');
    mkdirSync(programs);
    writeFileSync(join(programs, 'git'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    vi.stubEnv('PATH', `${programs}:${process.env['PATH']}`);
    const { sees, say } = await openIn(built, { kind: 'new' });
    await sees('Context');
    say('/diff');
    const rows = (await sees('git could not be run')).join('\n');
    expect(rows).not.toContain('Nothing differs');
  });
});
