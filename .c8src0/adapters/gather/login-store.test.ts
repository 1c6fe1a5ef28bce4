import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Lock, LockHeld } from '../../ports/files.ts';
import { loginStore } from './login-store.ts';

let home = '';
let path = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'capstan-login-'));
  path = join(home, 'auth.json');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const { signal } = new AbortController();
const stored = {
  auth_mode: 'chatgpt',
  OPENAI_API_KEY: null,
  tokens: { id_token: 'id', access_token: 'access', refresh_token: 'refresh', account_id: 'account', more: [1] },
  last_refresh: '2026-01-01T00:00:00Z',
  agent_identity: { kept: true },
};

/** Locks of one process, and a clock on which waiting takes no time. */
function storeIn(folder: string, held = new Set<string>()) {
  let now = 0;
  const locks = {
    take: (name: string): Promise<Lock | LockHeld> => {
      if (held.has(name)) return Promise.resolve({ kind: 'held' });
      held.add(name);
      return Promise.resolve({
        kind: 'lock',
        epoch: 1,
        isLost: async () => false,
        release: async () => {
          held.delete(name);
        },
      });
    },
  };
  const sleep = (ms: number): Promise<void> => {
    now += ms;
    return new Promise((resolve) => setImmediate(resolve));
  };
  return loginStore({
    home: folder,
    env: {},
    kept: 'file',
    limits: {},
    programs: { find: () => undefined },
    programFolder: () => '/',
    locks,
    clock: { now: () => now, sleep },
  });
}

test('new tokens take the place of the old ones; all else stays', async () => {
  writeFileSync(path, JSON.stringify(stored), { mode: 0o600 });
  const store = storeIn(home);
  await (await store.reserve()).keep({ accessToken: 'new', refreshToken: 'next' }, Date.UTC(2026, 10, 15));
  const { tokens } = stored;
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
    ...stored,
    tokens: { ...tokens, access_token: 'new', refresh_token: 'next' },
    last_refresh: '2026-11-15T00:00:00.000Z',
  });
  expect(await store.load()).toMatchObject({ accessToken: 'new', refreshToken: 'next', accountId: 'account' });
  expect([statSync(path).mode & 0o777, readdirSync(home)]).toEqual([0o600, ['auth.json']]);
});

test('a link stays one', async () => {
  const real = mkdtempSync(join(tmpdir(), 'capstan-login-'));
  writeFileSync(join(real, 'login.json'), JSON.stringify(stored));
  symlinkSync(join(real, 'login.json'), path);
  await (await storeIn(home).reserve()).keep({ accessToken: 'new' }, 0);
  expect(readFileSync(join(real, 'login.json'), 'utf8')).toContain('"new"');
  expect(readFileSync(path, 'utf8')).toContain('"new"');
  rmSync(real, { recursive: true });
});

test('homes that share a login wait for each other', async () => {
  const other = mkdtempSync(join(tmpdir(), 'capstan-login-'));
  writeFileSync(path, JSON.stringify(stored));
  symlinkSync(path, join(other, 'auth.json'));
  const held = new Set<string>();
  const nested = storeIn(home, held).alone(() => storeIn(other, held).alone(() => Promise.resolve(), signal), signal);
  await expect(nested).rejects.toThrow('another process is renewing it and takes too long');
  rmSync(other, { recursive: true });
});

test('what a process left that was ended in the middle does not get the tokens', async () => {
  writeFileSync(path, JSON.stringify(stored));
  writeFileSync(`${path}.tmp`, 'old', { mode: 0o644 });
  await (await storeIn(home).reserve()).keep({ accessToken: 'new' }, 0);
  expect([statSync(path).mode & 0o777, readdirSync(home)]).toEqual([0o600, ['auth.json']]);
  writeFileSync(join(home, 'elsewhere'), 'mine');
  symlinkSync(join(home, 'elsewhere'), `${path}.tmp`);
  await (await storeIn(home).reserve()).keep({ accessToken: 'newer' }, 0);
  expect([readFileSync(join(home, 'elsewhere'), 'utf8'), await storeIn(home).load()]).toMatchObject([
    'mine',
    { accessToken: 'newer' },
  ]);
});

test('tokens that cannot be kept leave nothing behind', async () => {
  writeFileSync(path, JSON.stringify(stored));
  const reserved = await storeIn(home).reserve();
  rmSync(path);
  await expect(reserved.keep({ accessToken: 'new' }, 0)).rejects.toThrow('it disappeared');
  reserved.discard();
  expect(readdirSync(home)).toEqual([]);
});

test('a reserved place that is not used leaves nothing behind', async () => {
  writeFileSync(path, JSON.stringify(stored));
  (await storeIn(home).reserve()).discard();
  expect([readdirSync(home), JSON.parse(readFileSync(path, 'utf8'))]).toEqual([['auth.json'], stored]);
});

test('a place where nothing can be written is reported', async () => {
  writeFileSync(path, JSON.stringify(stored));
  mkdirSync(`${path}.tmp`);
  await expect(storeIn(home).reserve()).rejects.toThrow(`${path} cannot be written: it is a folder`);
});

test('a login that is gone is reported', async () => {
  await expect(storeIn(home).reserve()).rejects.toThrow(`${path} cannot be written: it does not exist`);
});

test('one works at a time; a process that waits too long gets a failure', async () => {
  const store = storeIn(home);
  const steps: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = store.alone(async () => {
    steps.push('first begins');
    await gate.promise;
    steps.push('first ends');
  }, signal);
  await expect(store.alone(() => Promise.resolve(steps.push('too early')), signal)).rejects.toThrow(
    'another process is renewing it and takes too long',
  );
  const second = store.alone(() => Promise.resolve(steps.push('second')), signal);
  gate.resolve();
  await Promise.all([first, second]);
  expect(steps).toEqual(['first begins', 'first ends', 'second']);
  const failing = store.alone(() => Promise.reject(new Error('no')), signal);
  await expect(failing).rejects.toThrow('no');
  expect(await store.alone(() => Promise.resolve('free again'), signal)).toBe('free again');
});
