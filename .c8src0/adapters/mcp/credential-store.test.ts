import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../gather/clock-and-ids.ts';
import { SimulatedLocks } from '../../testing/simulated-disk.ts';
import { credentialStore } from './credential-store.ts';

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'capstan-logins-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

const waiting = { locks: new SimulatedLocks(), clock: systemClock };

test('a huge login is not kept, and costs no other', async () => {
  const store = credentialStore(temporaryFolder(), waiting);
  await store.change('https://one.example', () => ({ tokens: { access_token: 'one' } }));
  const huge = { tokens: { access_token: 'x'.repeat(2_000_000) } };
  await expect(store.change('https://two.example', () => huge)).rejects.toThrow('larger than 64 KB');
  expect(store.read('https://one.example')).toEqual({ tokens: { access_token: 'one' } });
});

test('a file that would be too large to be read is not written', async () => {
  const store = credentialStore(temporaryFolder(), waiting);
  const tokens = { access_token: 'x'.repeat(60_000) };
  const urls = Array.from({ length: 20 }, (_, index) => `https://${index}.example`);
  const all = async (): Promise<void> => {
    for (const url of urls) await store.change(url, () => ({ tokens }));
  };
  await expect(all()).rejects.toThrow('larger than 1 MB');
  expect(store.read(urls[0]!)).toEqual({ tokens });
});

test('logins to several servers that are stored at once are all kept', async () => {
  const store = credentialStore(temporaryFolder(), waiting);
  const urls = ['https://one.example', 'https://two.example', 'https://three.example'];
  await Promise.all(urls.map((url) => store.change(url, () => ({ tokens: { access_token: url } }))));
  expect(urls.map((url) => store.read(url))).toEqual(urls.map((url) => ({ tokens: { access_token: url } })));
});

test('a lock that another process does not give back is named by what it is for', async () => {
  const locks = new SimulatedLocks();
  let now = 0;
  const clock = { now: () => now, sleep: async (ms: number) => void (now += ms) };
  const folder = temporaryFolder();
  const store = credentialStore(folder, { locks, clock });
  const { signal } = new AbortController();
  const url = 'https://one.example';
  await store.alone(
    url,
    () =>
      expect(store.alone(url, () => Promise.resolve(), signal)).rejects.toThrow(
        /^another process is renewing it and takes too long$/,
      ),
    signal,
  );
  const lock = await locks.take(join(folder, 'capstan/mcp/credentials.json.lock'));
  await expect(store.change(url, () => ({}))).rejects.toThrow(
    /^another process is changing the stored logins and takes too long$/,
  );
  if (lock.kind === 'lock') await lock.release();
});
