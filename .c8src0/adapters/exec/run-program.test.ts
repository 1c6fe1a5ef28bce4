import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { feedProgram } from './run-program.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'feed-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const env = { PATH: '/usr/bin:/bin' };
const how = () => ({ cwd: folder, env, input: 'hello', timeoutMs: 5000 });

/** It cannot be asked to end, nor can what it starts. Its file `pid` is whole from the moment it is there. */
const stubborn = [
  `trap '' TERM HUP INT; echo $$ > new; mv new pid`,
  'i=0; while [ $i -lt 60 ]; do sleep 1; i=$((i+1)); done',
].join('; ');
const lives = (): boolean => {
  try {
    return process.kill(Number(readFileSync(join(folder, 'pid'), 'utf8')), 0);
  } catch {
    return false;
  }
};

it('says whether the program took the text', async () => {
  expect(await feedProgram(['/bin/sh', '-c', 'cat > text'], how())).toBe(true);
  expect(readFileSync(join(folder, 'text'), 'utf8')).toBe('hello');
  expect(await feedProgram(['/bin/false'], how())).toBe(false);
  expect(await feedProgram(['/nowhere/program'], how())).toBe(false);
  expect(await feedProgram(['/bin/a\0b'], how())).toBe(false);
});

it('kills a program that hangs and cannot be asked to end', async () => {
  expect(await feedProgram(['/bin/sh', '-c', stubborn], { ...how(), timeoutMs: 500 })).toBe(false);
  await vi.waitFor(() => expect(lives()).toBe(false), { timeout: 20_000 });
});

it('a program that hangs does not keep the process from its end, and ends with it', async () => {
  const module = join(import.meta.dirname, 'run-program.ts');
  const script = join(folder, 'main.mjs');
  const given = JSON.stringify({ ...how(), timeoutMs: 60_000 });
  writeFileSync(
    script,
    `import { existsSync } from 'node:fs';
    const { feedProgram } = await import(${JSON.stringify(module)});
    void feedProgram(['/bin/sh', '-c', ${JSON.stringify(stubborn)}], ${given});
    while (!existsSync('${folder}/pid')) await new Promise((over) => setTimeout(over, 10));`,
  );
  const { status } = spawnSync(process.execPath, [script], { timeout: 30_000 });
  expect(status).toBe(0);
  await vi.waitFor(() => expect(lives()).toBe(false), { timeout: 20_000 });
});
