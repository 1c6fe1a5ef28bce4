import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'capstan-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function hold(...times: readonly number[]): ChildProcess {
  const args = [join(folder, 'lock'), join(folder, 'log'), ...times.map(String)];
  return spawn(process.execPath, [join(import.meta.dirname, 'lock', 'hold.mjs'), ...args], { stdio: 'inherit' });
}

function log(): readonly string[] {
  const file = join(folder, 'log');
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
}

async function killOnceInside(holder: ChildProcess): Promise<void> {
  const exit = once(holder, 'exit');
  while (!log().includes('in')) await sleep(10);
  holder.kill('SIGKILL');
  await exit;
}

test('many processes hold the lock one after another and leave nothing behind', async () => {
  const holders = Array.from({ length: 8 }, () => hold(20));
  expect(await Promise.all(holders.map((holder) => once(holder, 'exit')))).toEqual(holders.map(() => [0, null]));
  expect(log()).toEqual(holders.flatMap(() => ['in', 'out']));
  expect(readdirSync(folder)).toEqual(['log']);
});

test('the lock of a killed process goes to exactly one of those who wait', async () => {
  await killOnceInside(hold(60_000));
  const waiting = Array.from({ length: 6 }, () => hold(20));
  await Promise.all(waiting.map((holder) => once(holder, 'exit')));
  expect(log()).toEqual(['in', ...waiting.flatMap(() => ['in', 'out'])]);
});

test('a child that outlives its killed owner keeps the lock until it ends', async () => {
  await killOnceInside(hold(60_000, 1_000));
  await once(hold(0), 'exit');
  expect(log()).toEqual(['in', 'child out', 'in', 'out']);
});
