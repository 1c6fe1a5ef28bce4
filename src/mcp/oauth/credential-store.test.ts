import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { credentialStore } from './credential-store.ts';

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'capstan-logins-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('a huge login is not kept, and costs no other', () => {
  const store = credentialStore(temporaryFolder());
  store.write('https://one.example', { tokens: { access_token: 'one' } });
  expect(() => store.write('https://two.example', { tokens: { access_token: 'x'.repeat(2_000_000) } })).toThrow(
    'larger than 64 KB',
  );
  expect(store.read('https://one.example')).toEqual({ tokens: { access_token: 'one' } });
});

test('a file that would be too large to be read is not written', () => {
  const store = credentialStore(temporaryFolder());
  const tokens = { access_token: 'x'.repeat(60_000) };
  const urls = Array.from({ length: 20 }, (_, index) => `https://${index}.example`);
  expect(() => urls.forEach((url) => store.write(url, { tokens }))).toThrow('larger than 1 MB');
  expect(store.read(urls[0]!)).toEqual({ tokens });
});
