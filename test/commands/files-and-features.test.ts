import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tomlEditHint } from '../../src/core/config/toml/write-toml.ts';
import { expect, it } from 'vitest';
import { LiveThread } from '../harness/live-thread.ts';
import { scene } from '../harness/scene.ts';

it('files are found by letters of their paths; what git ignores is not', async () => {
  const { place } = await scene([]);
  const put = (path: string, text = ''): void => {
    mkdirSync(join(place.workspace, path, '..'), { recursive: true });
    writeFileSync(join(place.workspace, path), text);
  };
  execFileSync('git', ['init', '--quiet'], { cwd: place.workspace });
  put('.gitignore', 'build/\n*.log\n');
  put('src/thread/calls.ts');
  put('src/calls-law.ts');
  put('src/odd\nname-calls.ts');
  put('build/calls.ts');
  put('calls.log');
  put('inner/.gitignore', '!kept.log\ncalls.ts\n');
  put('inner/kept.log');
  put('inner/calls.ts');
  symlinkSync('/etc', join(place.workspace, 'calls-link'));
  const found = await place.run('files', 'calls', '--json');
  expect(JSON.parse(found.stdout)).toMatchObject({ total: 3, partial: false });
  const { stdout, code } = await place.run('files', 'calls');
  expect([code, stdout.split('\n')]).toEqual([
    0,
    ['src/thread/calls.ts', 'src/calls-law.ts', 'src/odd␊name-calls.ts', ''],
  ]);
  expect((await place.run('files', 'kept')).stdout).toBe('inner/kept.log\n');
  expect((await place.run('files', 'c', '--limit', '1')).stdout.trim().split('\n')).toHaveLength(1);
  expect(await place.run('files', 'nowhere')).toMatchObject({ code: 1, stdout: '' });
});

it('a search ends when the next letter is typed', async () => {
  const live = await LiveThread.in([]);
  for (let i = 0; i < 300; i++) writeFileSync(join(live.place.workspace, `file-${i}`), '');
  const engine = await live.engine();
  const search = { cwd: live.place.workspace, typed: 'file' };
  expect(await engine.findFiles(search)).toMatchObject({ total: 300, isPartial: false });
  expect(await engine.findFiles({ ...search, limit: 3 })).toMatchObject({ files: [{}, {}, {}] });
  expect(await engine.findFiles({ cwd: '/nowhere', typed: '' })).toMatchObject({ code: 'folder-missing' });
});

it('features are listed and switched', async () => {
  const { place } = await scene([], '# mine\n[features]\nhooks = false\n');
  const listed = async () => JSON.parse((await place.run('features', 'list', '--json')).stdout) as object;
  expect(await listed()).toMatchObject({
    features: expect.arrayContaining([
      expect.objectContaining({ name: 'hooks', open: false, decided: 'config' }),
      expect.objectContaining({ name: 'sleep_tool', open: false, decided: 'default' }),
    ]) as object,
  });
  expect(await place.run('features', 'enable', 'sleep_tool')).toMatchObject({ code: 0 });
  expect(await listed()).toMatchObject({
    features: expect.arrayContaining([
      expect.objectContaining({ name: 'hooks', open: false }),
      expect.objectContaining({ name: 'sleep_tool', open: true, decided: 'config' }),
    ]) as object,
  });
  expect(readFileSync(join(place.home, 'config.toml'), 'utf8')).toContain('# mine');
  expect((await place.run('features', 'list')).stdout).toMatch(/sleep_tool +on +config/);
  expect(await place.run('features', 'disable', 'sleep_tool')).toMatchObject({ code: 0 });
  expect((await place.run('features', 'enable', 'slep_tool')).stderr).toContain('Did you mean sleep_tool?');
  expect((await place.run('features', 'enable', 'chronicle')).stderr).toContain('does nothing in Capstan');
  expect(await place.run('features', 'enable', 'multi_agent')).toMatchObject({ code: 0 });
});

it('the hint about a file that is not changed is right for the way in which it is written', () => {
  const given = { before: { features: { hooks: true } }, wanted: { hooks: false, sleep_tool: true } };
  const dotted = 'model = "m"\nfeatures.hooks = true\n';
  expect(tomlEditHint(dotted, ['features'], given)).toBe(
    'On line 2, in place of what is there, write: features.hooks = false\nBelow line 2, add: features.sleep_tool = true',
  );
  expect(tomlEditHint('features = { hooks = true }\n', ['features'], given)).toBe(
    'In the braces on line 1, write: hooks = false\nIn the braces on line 1, write: sleep_tool = true',
  );
  expect(tomlEditHint('', ['features'], { before: {}, wanted: { hooks: false } })).toBeUndefined();
});
