import { appendFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { recordLandlockRoots } from '../../src/adapters/gather/config/project-trust.ts';
import { forgetLandlockWriter } from '../../src/adapters/gather/config/landlock-writers.ts';
import { readHooksFile } from '../../src/adapters/hooks/load-hooks.ts';
import { answer, say } from '../../src/testing/index.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';
import { hook, hookedScene, type HookTable } from './hooked-scene.ts';

const done = answer({ items: [say('Done.')] });
const says = (words: string): HookTable => ({ UserPromptSubmit: [hook(`echo "${words}"`)] });
const context = (words: string) => ['developer', `<hook_context>\n${words}\n</hook_context>`];

function writeHooks(folder: string, table: HookTable): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'hooks.json');
  writeFileSync(path, JSON.stringify({ hooks: table }));
  return path;
}

it('the command lists hooks, trusts and distrusts them; a hook that changes waits again; the file keeps all else', async () => {
  const { live, write } = await hookedScene(() => done, says('one'), { trust: false });
  const { place } = live;
  const path = join(place.home, 'config.toml');
  const before = readFileSync(path, 'utf8');
  const key = `${join(place.home, 'hooks.json')}:user_prompt_submit:0:0`;
  const list = async () => (await place.run('hooks', 'list')).stdout;
  expect(await list()).toBe(`untrusted: UserPromptSubmit\n  command: echo "one"\n  time-out 600 s\n  key: ${key}\n`);
  expect((await place.run('hooks', 'trust')).stdout).toBe('Trusted: echo "one" (UserPromptSubmit)\n');
  expect(readFileSync(path, 'utf8').startsWith(before.trimEnd())).toBe(true);
  await live.turn('go');
  expect(live.rows(0).at(-1)).toEqual(context('one'));

  write(says('two'));
  expect(await list()).toMatch(/^modified: /);
  await live.open();
  await live.turn('go');
  expect(live.rows(1).at(-1)).toEqual(['user', 'go']);
  expect((await place.run('hooks', 'trust', '--key', key)).code).toBe(0);
  await live.open();
  await live.turn('go');
  expect(live.rows(2).at(-1)).toEqual(context('two'));

  expect((await place.run('hooks', 'untrust')).stdout).toBe('No longer trusted: echo "two" (UserPromptSubmit)\n');
  expect(readFileSync(path, 'utf8').trimEnd()).toBe(before.trimEnd());
  expect((await place.run('hooks', 'untrust')).stdout).toBe('Nothing to change.\n');
  const listed = JSON.parse((await place.run('hooks', 'list', '--json')).stdout) as { hooks: object[] };
  expect(listed.hooks).toMatchObject([{ key, event: 'UserPromptSubmit', trust: 'untrusted', command: 'echo "two"' }]);
  const unknown = await place.run('hooks', 'trust', '--key', 'other');
  expect([unknown.code, unknown.stderr]).toEqual([
    1,
    expect.stringContaining('There is no hook with the key "other".'),
  ]);
});

it('a hook of a project does not run once commands under Landlock changed its script', async () => {
  const { live } = await hookedScene(() => done, {});
  const { home, workspace } = live.place;
  const script = join(workspace, '.codex/hook.sh');
  const path = writeHooks(join(workspace, '.codex'), { UserPromptSubmit: [hook(`sh '${script}'`)] });
  writeFileSync(script, 'echo one');
  const [{ key, hash } = { key: '', hash: '' }] = readHooksFile({ path, owner: 'project' }).hooks;
  const trusted = `[projects."${workspace}"]\ntrust_level = "trusted"\n[hooks.state.${JSON.stringify(key)}]\ntrusted_hash = "${hash}"\n`;
  appendFileSync(join(home, 'config.toml'), `\n${trusted}`);
  recordLandlockRoots(home, [workspace], () => [{ owner: workspace }]);
  whenTestEnds(() => forgetLandlockWriter(home));
  await live.open();
  await live.turn('go');
  expect(live.rows(0).at(-1)).toEqual(context('one'));
  writeFileSync(script, 'echo two');
  await live.turn('go on');
  expect(live.rows(1).at(-1)).toEqual(['user', 'go on']);
  const runs = live.place.lines().filter(({ type }) => type === 'capstan_hook');
  expect(JSON.stringify(runs.at(-1))).toContain(`could change ${join(workspace, '.codex')} since you trusted it`);
});

it('a hook whose command has lines is listed in one', async () => {
  const { live } = await hookedScene(() => done, { Stop: [hook('true\nmanaged: Stop')] }, { trust: false });
  expect((await live.place.run('hooks', 'list')).stdout).toContain('\n  command: true␊managed: Stop\n');
});

it('a hook that is switched off stays so unless it is named', async () => {
  const { live } = await hookedScene(() => done, says('one'), { trust: false });
  const key = `${join(live.place.home, 'hooks.json')}:user_prompt_submit:0:0`;
  const off = `\n[hooks.state.${JSON.stringify(key)}]\nenabled = false\n`;
  writeFileSync(join(live.place.home, 'config.toml'), off, { flag: 'a' });
  expect((await live.place.run('hooks', 'trust')).stdout).toBe('Nothing to change.\n');
  await live.turn('go');
  expect([live.rows(0).at(-1), live.notices]).toEqual([['user', 'go'], []]);
  expect((await live.place.run('hooks', 'trust', '--key', key)).code).toBe(0);
  expect((await live.place.run('hooks', 'list')).stdout).toMatch(/^trusted: /);
});

it('a hook of a project runs only where the project and the hook are trusted, and no project decides about hooks', async () => {
  const { live } = await hookedScene(() => done, {});
  const { home, workspace } = live.place;
  const path = writeHooks(join(workspace, '.codex'), says('from the project'));
  const [known] = readHooksFile({ path, owner: 'project' }).hooks;
  const state = `[hooks.state.${JSON.stringify(known!.key)}]\ntrusted_hash = "${known!.hash}"\n`;
  // A project's own word about its hooks counts for nothing.
  writeFileSync(join(workspace, '.codex/config.toml'), state);
  const config = join(home, 'config.toml');
  const trusts = `\n[projects.${JSON.stringify(workspace)}]\ntrust_level = "trusted"\n`;
  const turns: (readonly string[] | undefined)[] = [];
  const turn = async (more: string): Promise<void> => {
    writeFileSync(config, more, { flag: 'a' });
    await live.open();
    await live.turn('go');
    turns.push(live.rows(turns.length).at(-1));
  };
  await turn('');
  const listed = await live.place.run('hooks', 'list');
  expect(listed.stdout).toBe('No hooks.\n');
  await turn(trusts);
  await turn(state);
  expect(turns).toEqual([['user', 'go'], ['user', 'go'], context('from the project')]);
});

it('hooks of an administrator run untrusted, cannot be switched off, and may be the only ones', async () => {
  const { live } = await hookedScene(() => done, says('of the user'));
  const { home, root } = live.place;
  const system = join(root, 'system');
  const path = writeHooks(system, says('of the administrator'));
  const key = `${path}:user_prompt_submit:0:0`;
  const off = `\n[hooks.state.${JSON.stringify(key)}]\nenabled = false\n`;
  writeFileSync(join(home, 'config.toml'), off, { flag: 'a' });
  await live.open({ systemFolders: [system] });
  await live.turn('go');
  expect(live.rows(0).slice(-2)).toEqual([context('of the administrator'), context('of the user')]);
  writeFileSync(join(system, 'requirements.toml'), 'allow_managed_hooks_only = true\n');
  await live.open({ systemFolders: [system] });
  await live.turn('go');
  expect(live.added(1).slice(-1)).toEqual([context('of the administrator')]);
  expect(live.added(1).flat().join('')).not.toContain('of the user');
  writeFileSync(join(home, 'config.toml'), '\n[features]\nhooks = false\n', { flag: 'a' });
  await live.open({ systemFolders: [system] });
  await live.turn('go');
  expect(live.added(2).slice(-1)).toEqual([context('of the administrator')]);
});

it('no project switches the hooks of its user off', async () => {
  const { live } = await hookedScene(() => done, says('of the user'));
  const { home, workspace } = live.place;
  mkdirSync(join(workspace, '.codex'));
  writeFileSync(join(workspace, '.codex/config.toml'), '[features]\nhooks = false\n');
  const trusts = `\n[projects.${JSON.stringify(workspace)}]\ntrust_level = "trusted"\n`;
  writeFileSync(join(home, 'config.toml'), trusts, { flag: 'a' });
  await live.turn('go');
  expect(live.rows(0).at(-1)).toEqual(context('of the user'));
  expect(live.notices).toMatchObject([{ code: 'config-forbidden-key' }]);
});

it('where hooks of an administrator cannot be read, no thread begins', async () => {
  const { live } = await hookedScene(() => done, {});
  const system = join(live.place.root, 'system');
  writeFileSync(writeHooks(system, {}), '{');
  await expect(live.open({ systemFolders: [system] })).rejects.toThrow('is no valid JSON: line 1, column 2.');
});

it('a hooks.json that leads to the file of a device is not waited for', async () => {
  const { live } = await hookedScene(() => done, {});
  const path = writeHooks(join(live.place.workspace, '.capstan'), {});
  writeFileSync(
    join(live.place.home, 'config.toml'),
    `\n[projects.${JSON.stringify(live.place.workspace)}]\ntrust_level = "trusted"\n`,
    { flag: 'a' },
  );
  const { rmSync } = await import('node:fs');
  rmSync(path);
  symlinkSync('/dev/zero', path);
  expect(await live.turn('go')).toMatchObject({ kind: 'completed' });
  expect(live.notices).toMatchObject([{ code: 'hooks-unreadable' }]);
});

it('a definition has the hash that Codex gives it', async () => {
  const { live } = await hookedScene([], {});
  const path = join(live.place.home, 'hooks.json');
  const handler = { type: 'command', command: 'echo hi', timeout: 5, statusMessage: 'S' };
  writeFileSync(path, JSON.stringify({ hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [handler] }] } }));
  expect(readHooksFile({ path, owner: 'user' }).hooks).toMatchObject([
    {
      key: `${path}:pre_tool_use:0:0`,
      hash: 'sha256:91ebc0611c49d3d82f88dc153656bf55d2583ea8ad7b93ca86d97a5681076dae',
    },
  ]);
});

it('hooks of a project without a decision about trust are not read, and a notice names the file', async () => {
  const { live } = await hookedScene([done], {});
  const path = writeHooks(join(live.place.workspace, '.capstan'), says('stranger'));
  await live.turn('go');
  expect(live.notices).toMatchObject([
    { code: 'config-untrusted-project', message: `${path} is ignored: you have not trusted the project.` },
  ]);
  expect(live.rows(0).at(-1)).toEqual(['user', 'go']);
});
