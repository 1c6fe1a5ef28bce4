import {
  chmodSync,
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
import { readMcpServers } from '../../core/config/servers/mcp-servers.ts';
import { parseServerListing } from './listed-tools.ts';
import { listingFiles } from './listing-file.ts';

let home: string;
beforeEach(() => (home = mkdtempSync(join(tmpdir(), 'capstan-listings-'))));
afterEach(() => rmSync(home, { recursive: true, force: true }));

const [config] = readMcpServers({ s: { command: 'x', args: ['1'] } }).servers;
const [other] = readMcpServers({ s: { command: 'x', args: ['2'] } }).servers;
const listing = parseServerListing([{ name: 'a', description: 'Does it.' }], {
  hasResources: true,
  instructions: 'Mine.',
});

function file(): string {
  const [name = ''] = readdirSync(join(home, 'capstan/mcp'));
  return join(home, 'capstan/mcp', name);
}

test('a listing is kept for this user alone, and belongs to a server as it is configured', () => {
  const files = listingFiles(home);
  expect(files.read(config!)).toBeUndefined();
  files.write(config!, listing);
  expect(files.read(config!)).toEqual(listing);
  expect(files.read(other!)).toBeUndefined();
  expect([statSync(file()).mode & 0o777, statSync(join(home, 'capstan/mcp')).mode & 0o777]).toEqual([0o600, 0o700]);
});

test('what is torn, odd, a link or open to others is as if it were not there', () => {
  const files = listingFiles(home);
  files.write(config!, listing);
  const text = readFileSync(file(), 'utf8');
  for (const odd of [text.slice(0, 40), '', '[]', '{"tools":[{}],"hasResources":true}', '{"tools":[]}']) {
    writeFileSync(file(), odd);
    expect(files.read(config!)).toBeUndefined();
  }
  writeFileSync(file(), text);
  chmodSync(file(), 0o666);
  expect(files.read(config!)).toBeUndefined();
  const path = file();
  rmSync(path);
  writeFileSync(join(home, 'elsewhere'), text, { mode: 0o600 });
  symlinkSync(join(home, 'elsewhere'), path);
  expect(files.read(config!)).toBeUndefined();
});

test('why a server did not start is kept until it lists something, is given more time, or is asked about', () => {
  const files = listingFiles(home);
  const failure = { why: 'it did not answer', isQuick: false };
  files.writeFailure(config!, failure);
  expect(files.failure(config!)).toEqual(failure);
  expect([files.failure(other!), files.failure({ ...config!, startupTimeoutMs: 1 })]).toEqual([undefined, undefined]);
  files.forgetFailure(config!);
  expect(files.failure(config!)).toBeUndefined();
  files.writeFailure(config!, failure);
  files.write(config!, listing);
  expect(files.failure(config!)).toBeUndefined();
});

test('a disk that refuses it is no fault', () => {
  writeFileSync(join(home, 'capstan'), 'a file');
  expect(() => listingFiles(home).write(config!, listing)).not.toThrow();
});
