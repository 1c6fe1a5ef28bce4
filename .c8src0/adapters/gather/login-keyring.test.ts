import { chmodSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { keyringTool, loginKeyringStorage } from './login-keyring.ts';
import { loginStore } from './login-store.ts';
import type { CredentialStoreName } from '../../core/policy/requirements.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'capstan-keyring-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A program that keeps one text in a file, as `secret-tool` does it. What it was called with is written down. */
const secretTool = `
printf '%s\\n' "$*" >> "$FOLDER/calls"
if [ -e "$FOLDER/locked" ]; then echo "secret-tool: Cannot autolaunch D-Bus" >&2; exit 1; fi
case "$1" in
  lookup) [ -e "$FOLDER/kept" ] || exit 1; cat "$FOLDER/kept" ;;
  store) cat > "$FOLDER/kept" ;;
  clear) rm "$FOLDER/kept" ;;
esac`;

/** A program that keeps one text as `security` does; of a command on standard input it keeps the last word. */
const security = `
printf '%s\\n' "$*" >> "$FOLDER/calls"
case "$1" in
  find-generic-password) [ -e "$FOLDER/kept" ] || exit 44; cat "$FOLDER/kept" ;;
  delete-generic-password) rm "$FOLDER/kept" ;;
  -i) read -r line; eval "set -- $line"; for word; do last=$word; done; printf '%s' "$last" > "$FOLDER/kept" ;;
esac`;

function program(script: string): string {
  const path = join(folder, 'tool');
  writeFileSync(path, `#!/bin/sh${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

const calls = (): string => readFileSync(join(folder, 'calls'), 'utf8');
const document = { auth_mode: 'chatgpt', tokens: { access_token: "it's a secret", refresh_token: 'r' }, more: [1] };

describe.each([
  ['secret-tool', secretTool],
  ['security', security],
] as const)('a keyring behind %s', (kind, script) => {
  const place = () =>
    loginKeyringStorage({
      home: folder,
      tool: { kind, path: program(script) },
      env: { FOLDER: folder, PATH: '/usr/bin:/bin' },
      cwd: '/',
    });

  test('keeps one login, and no secret stands in an argument', async () => {
    const keyring = place();
    expect(await keyring.read()).toEqual({ kind: 'none' });
    expect(await keyring.remove()).toBe(false);
    await keyring.write(document);
    expect(await keyring.read()).toEqual({ kind: 'found', document });
    await (await keyring.reserve()).keep({ accessToken: 'new secret' }, Date.UTC(2026, 10, 17));
    expect(await keyring.read()).toEqual({
      kind: 'found',
      document: {
        ...document,
        tokens: { access_token: 'new secret', refresh_token: 'r' },
        last_refresh: '2026-11-17T00:00:00.000Z',
      },
    });
    expect(calls()).toMatch(/Codex Auth.*cli\|[0-9a-f]{16}/);
    expect(calls()).not.toMatch(/a secret|new secret/);
    expect(await keyring.remove()).toBe(true);
    expect(await keyring.read()).toEqual({ kind: 'none' });
    await expect(keyring.reserve()).rejects.toThrow('no longer in the keyring');
  });

  test('says what is wrong with what it holds, without quoting it', async () => {
    const keyring = place();
    writeFileSync(join(folder, 'kept'), '{"tokens": "sk-broken');
    expect(await keyring.read()).toEqual({
      kind: 'unread',
      message: 'The login in the keyring of this system cannot be read: it is not a JSON object.',
      next: 'Unlock the keyring, or set cli_auth_credentials_store = "file" and sign in again.',
    });
  });
});

test('a login that is too long for `security` is an error, and nothing is cut', async () => {
  const tool = { kind: 'security', path: program(security) } as const;
  const keyring = loginKeyringStorage({ home: folder, tool, env: { FOLDER: folder }, cwd: '/' });
  await expect(keyring.write({ tokens: 'x'.repeat(5000) })).rejects.toThrow('too long for the keyring');
});

test('the tool starts in the folder that it is given', async () => {
  const tool = { kind: 'secret-tool', path: program('\npwd >&2; exit 2') } as const;
  const cwd = realpathSync(folder);
  const keyring = loginKeyringStorage({ home: folder, tool, env: { PATH: '/usr/bin:/bin' }, cwd });
  expect(await keyring.read()).toMatchObject({ kind: 'unread', message: expect.stringContaining(`(${cwd})`) });
});

test('a keyring that cannot be used is not one without a login', async () => {
  const tool = { kind: 'secret-tool', path: program(secretTool) } as const;
  const keyring = loginKeyringStorage({ home: folder, tool, env: { FOLDER: folder, PATH: '/usr/bin:/bin' }, cwd: '/' });
  writeFileSync(join(folder, 'locked'), '');
  const why = 'it cannot be used (secret-tool: Cannot autolaunch D-Bus)';
  expect(await keyring.read()).toMatchObject({ kind: 'unread', message: expect.stringContaining(why) as string });
  await expect(keyring.write(document)).rejects.toThrow(why);
  await expect(keyring.remove()).rejects.toThrow(why);
  const gone = loginKeyringStorage({
    home: folder,
    tool: { kind: 'secret-tool', path: join(folder, 'gone') },
    env: {},
    cwd: '/',
  });
  await expect(gone.write(document)).rejects.toThrow('cannot be started (ENOENT)');
});

test('each system has its program', () => {
  const find = (name: string): string => `/usr/bin/${name}`;
  expect(keyringTool('linux', find)).toEqual({ kind: 'secret-tool', path: '/usr/bin/secret-tool' });
  expect(keyringTool('linux', () => undefined)).toBeUndefined();
  expect(keyringTool('darwin', () => undefined)).toEqual({ kind: 'security', path: '/usr/bin/security' });
  expect(keyringTool('win32', find)).toBeUndefined();
});

function store(kept: CredentialStoreName, tool: string | undefined = program(secretTool)) {
  const release = (): Promise<void> => Promise.resolve();
  return loginStore({
    home: folder,
    env: { FOLDER: folder, PATH: '/usr/bin:/bin' },
    kept,
    limits: {},
    programs: { find: () => tool },
    programFolder: () => '/',
    locks: { take: async () => ({ kind: 'lock', epoch: 1, isLost: async () => false, release }) },
    clock: { now: () => 0, sleep: release },
  });
}
const inFile = (): string => readFileSync(join(folder, 'auth.json'), 'utf8');
const key = { auth_mode: 'apikey', OPENAI_API_KEY: 'sk-key' };
const loggedIn = { kind: 'api-key', key: 'sk-key' };

// `security` has a fixed place: these run where the program is looked for.
describe.runIf(process.platform === 'linux')('cli_auth_credentials_store', () => {
  test('keyring: nothing is left in the file, which does not count either', async () => {
    const logins = store('keyring');
    writeFileSync(join(folder, 'auth.json'), JSON.stringify(key));
    expect(await logins.load()).toEqual({ kind: 'none' });
    expect(await logins.save(key)).toBe('the keyring of this system');
    expect(inFile).toThrow('ENOENT');
    expect(await logins.load()).toMatchObject(loggedIn);
    expect([await logins.forget(), await logins.load(), await logins.forget()]).toEqual([
      true,
      { kind: 'none' },
      false,
    ]);
  });

  test('keyring: without a program for it, nothing is kept elsewhere', async () => {
    const logins = store('keyring', undefined);
    const without = loginStore({ ...storeParts(), kept: 'keyring' });
    expect(await without.load()).toMatchObject({ kind: 'unusable', next: expect.stringContaining('libsecret-tools') });
    await expect(without.save(key)).rejects.toThrow('no program for a keyring was found');
    writeFileSync(join(folder, 'locked'), '');
    await expect(logins.save(key)).rejects.toThrow('it cannot be used');
    expect(inFile).toThrow('ENOENT');
  });

  test('auto: the keyring if it can be used, else the file; both are read and both are forgotten', async () => {
    const logins = store('auto');
    writeFileSync(join(folder, 'locked'), '');
    await logins.save(key);
    expect(JSON.parse(inFile())).toEqual(key);
    expect(await logins.load()).toMatchObject(loggedIn);
    rmSync(join(folder, 'locked'));
    await logins.save({ ...key, OPENAI_API_KEY: 'sk-other' });
    expect(inFile).toThrow('ENOENT');
    expect(await logins.load()).toMatchObject({ key: 'sk-other' });
    writeFileSync(join(folder, 'auth.json'), JSON.stringify(key));
    expect(await logins.load()).toMatchObject({ key: 'sk-other' });
    expect([await logins.forget(), await logins.load()]).toEqual([true, { kind: 'none' }]);
    const plain = loginStore({ ...storeParts(), kept: 'auto' });
    await plain.save(key);
    expect(JSON.parse(inFile())).toEqual(key);
  });

  test('ephemeral: nothing is kept and nothing is read', async () => {
    writeFileSync(join(folder, 'auth.json'), JSON.stringify(key));
    const logins = store('ephemeral');
    expect([await logins.load(), await logins.forget()]).toEqual([{ kind: 'none' }, false]);
    await expect(logins.save(key)).rejects.toThrow('no login is kept');
  });
});

/** Without a program for a keyring. */
function storeParts() {
  return {
    home: folder,
    env: {},
    limits: {},
    programs: { find: () => undefined },
    programFolder: () => '/',
    locks: { take: () => Promise.reject(new Error('not needed')) },
    clock: { now: () => 0, sleep: () => Promise.resolve() },
  };
}
