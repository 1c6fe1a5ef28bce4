// @module-tag attack
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { answer, callTool, type ItemDraft, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { sandboxIsPossible } from './sandboxed.ts';

const command = (cmd: string): ItemDraft => callTool('exec_command', { cmd });
const turn = (...calls: readonly ItemDraft[]) => [answer({ items: calls }), answer({ items: [say('done')] })];
const addFile = (path: string): ItemDraft => ({
  type: 'custom_tool_call',
  name: 'apply_patch',
  input: ['*** Begin Patch', `*** Add File: ${path}`, '+x', '*** End Patch'].join('\n'),
});

const dev = `default_permissions = "dev"
[permissions.dev]
extends = ":workspace"
[permissions.dev.filesystem.":workspace_roots"]
"a" = "deny"
"a/b" = "write"
"docs" = "read"
"**/*.env" = "deny"
`;

function plant(root: string, ...names: readonly string[]): void {
  for (const name of names) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), `text of ${name}\n`);
  }
}

function outputs(live: LiveThread, request: number): string {
  return live
    .rows(request)
    .filter(([kind]) => kind === 'output')
    .map((row) => row.join(' '))
    .join('\n');
}

const look = 'for f in a/x a/b/x docs/x sub/.env x; do cat $f; echo more >> $f; done 2>/dev/null';
const names = ['a/x', 'a/b/x', 'docs/x', 'sub/.env', 'x'];

describe.skipIf(!sandboxIsPossible)('a thread under a permission profile', () => {
  test('commands and patches get what the profile says, and the model reads it', async () => {
    const live = await LiveThread.in(
      turn(command(look), addFile('a/new'), addFile('a/b/new'), addFile('docs/new')),
      dev,
    );
    const { workspace, home } = live.place;
    plant(workspace, ...names);
    await live.turn('go');
    const said = outputs(live, 1);
    expect(['a/x', 'a/b/x', 'docs/x', 'sub/.env', 'x'].filter((name) => said.includes(`text of ${name}\n`))).toEqual([
      'a/b/x',
      'docs/x',
      'x',
    ]);
    const isChanged = (name: string): boolean => readFileSync(join(workspace, name), 'utf8').includes('more');
    expect(names.filter(isChanged)).toEqual(['a/b/x', 'x']);
    expect(['a/new', 'a/b/new', 'docs/new'].filter((name) => existsSync(join(workspace, name)))).toEqual(['a/b/new']);
    const text = live.rows(0).flat().join('\n');
    expect(text).toContain(`Not readable, and no request can change that: ${JSON.stringify(join(workspace, 'a'))}\n`);
    expect(text).toContain(`Nor is anything that matches: ${JSON.stringify(join(workspace, '**/*.env'))}\n`);
    expect(text).toContain('the inner one decides');
    expect(text).toContain(JSON.stringify(join(home, 'auth.json')));
    expect(text).toContain(JSON.stringify(join(home, 'sessions')));
  });

  test('overrides define and choose a profile as well', async () => {
    const live = await LiveThread.in(turn(command('echo x > made; cat secret; echo end')));
    plant(live.place.workspace, 'secret');
    const overrides = [
      'default_permissions="mine"',
      'permissions.mine={ extends = ":read-only" }',
      'permissions.mine.filesystem.":workspace_roots"={ "secret" = "none" }',
    ];
    await live.open({ config: overrides });
    await live.turn('go');
    expect(outputs(live, 1)).toContain('end');
    expect(outputs(live, 1)).not.toContain('text of secret');
    expect(existsSync(join(live.place.workspace, 'made'))).toBe(false);
  });

  test('copies of the home are closed where reading is limited, and only there', async () => {
    const script = (home: string) => command(`cat ${home}/sessions/old ${home}/skills/one; true`);
    const run = async (config: string) => {
      const live = await LiveThread.in(
        (request) =>
          answer({
            items: JSON.stringify(request.body).includes('call_output') ? [say('done')] : [script(live.place.home)],
          }),
        config,
      );
      plant(live.place.home, 'sessions/old', 'skills/one');
      await live.turn('go');
      return ['sessions/old', 'skills/one'].filter((name) => outputs(live, 1).includes(`text of ${name}`));
    };
    expect(await run('')).toEqual(['sessions/old', 'skills/one']);
    expect(await run(dev)).toEqual(['skills/one']);
  });

  test('secrets are closed, and open for a profile that names them', async () => {
    const run = async (config: (home: string) => readonly string[]) => {
      const live = await LiveThread.in((request) =>
        answer({
          items: JSON.stringify(request.body).includes('call_output')
            ? [say('done')]
            : [command(`cat ${live.place.home}/auth.json; true`)],
        }),
      );
      plant(live.place.home, 'auth.json');
      await live.open({ config: config(live.place.home) });
      await live.turn('go');
      return outputs(live, 1).includes('text of auth.json');
    };
    const opening = (home: string) => `{ extends = ":read-only", filesystem = { "${home}/auth.json" = "read" } }`;
    expect(await run(() => ['default_permissions=":read-only"'])).toBe(false);
    expect(await run((home) => ['default_permissions="x"', `permissions.x=${opening(home)}`])).toBe(true);
    expect(await run((home) => ['default_permissions="x"', `permissions.x=${opening(dirname(home))}`])).toBe(false);
    expect(await run(() => ['sandbox_mode="danger-full-access"'])).toBe(true);
  });
});

test.each([
  [
    'an undefined profile',
    'default_permissions = "nope"',
    /config\.toml:\d+: default_permissions names a profile that is not defined/,
  ],
  [
    'a circle',
    'default_permissions = "a"\n[permissions.a]\nextends = "b"\n[permissions.b]\nextends = "a"',
    /a -> b -> a/,
  ],
  [
    'a misspelt key',
    `${dev}[permissions.dev.filesytem]`,
    /config\.toml:\d+: permissions\.dev\.filesytem is not a known key/,
  ],
])('no thread starts with %s', { tags: 'representative' }, async (_, config, reason) => {
  const live = await LiveThread.in([], config);
  await expect(live.open()).rejects.toThrow(reason);
});

test.each([
  ['workspace_roots', (file: string) => `workspace_roots = { "${file}" = true }`],
  ['a table of paths', (file: string) => `filesystem = { "${file}" = { "x" = "read" } }`],
  ['all below a path', (file: string) => `filesystem = { "${file}/**" = "read" }`],
])('no thread starts where %s names a file', async (_, line) => {
  const live = await LiveThread.in([]);
  const config = join(live.place.home, 'config.toml');
  const text = `default_permissions = "dev"\n${readFileSync(config, 'utf8')}\n[permissions.dev]\nextends = ":workspace"\n`;
  writeFileSync(config, text + line(config));
  await expect(live.open()).rejects.toThrow(/config\.toml:\d+: permissions\.dev\.\S+ is a file/);
});

test.each([
  ['a path', (file: string) => `filesystem = { "${file}/x" = "write" }`],
  [
    'a path of a table',
    (file: string) => `filesystem."${file.replace(/\/[^/]*$/, '')}" = { "config.toml/x/y" = "read" }`,
  ],
])('no thread starts where %s leads through a file', { tags: 'representative' }, async (_, line) => {
  const live = await LiveThread.in([]);
  const config = join(live.place.home, 'config.toml');
  const text = `default_permissions = "dev"\n${readFileSync(config, 'utf8')}\n[permissions.dev]\nextends = ":workspace"\n`;
  writeFileSync(config, text + line(config));
  await expect(live.open()).rejects.toThrow(
    /config\.toml:\d+: permissions\.dev\.filesystem\.\S+ cannot exist: \S+config\.toml is a file, not a folder/,
  );
});

test('a project that is not trusted chooses nothing', async () => {
  const live = await LiveThread.in([answer({ items: [say('done')] })], 'default_permissions = ":read-only"');
  plant(live.place.workspace, '.codex/config.toml');
  writeFileSync(join(live.place.workspace, '.codex/config.toml'), 'default_permissions = ":danger-full-access"\n');
  await live.turn('go');
  expect(live.rows(0).flat().join('\n')).toContain('Sandbox: read-only.');
});
