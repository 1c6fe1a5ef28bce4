import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readBounded } from './regular-files.ts';

test.runIf(process.platform === 'linux')('a file that has no name here is not read where names decide', () => {
  const folder = mkdtempSync(join(tmpdir(), 'capstan-read-'));
  const path = join(folder, 'held');
  writeFileSync(path, 'text');
  const held = openSync(path, 'r');
  const asked: string[] = [];
  const denies = (name: string): boolean => asked.push(name) === 0;
  const read = () => readBounded(`/proc/self/fd/${held}`, { maxBytes: 100, denies }).kind;
  const kinds = [read()];
  rmSync(path);
  kinds.push(read());
  writeFileSync(path, 'another');
  kinds.push(read());
  closeSync(held);
  rmSync(folder, { recursive: true });
  expect(kinds).toEqual(['read', 'unread', 'unread']);
  expect(asked).toContain(path);
});
