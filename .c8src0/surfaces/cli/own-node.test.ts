import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runOnOwnNode } from './own-node.ts';

const folder = mkdtempSync(join(tmpdir(), 'capstan-own-node-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each([
  ['console.log(process.argv[2]); process.exit(3)', { status: 3, signal: null, stdout: 'given\n' }],
  [
    "process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000)",
    { status: null, signal: 'SIGTERM', stdout: '' },
  ],
])('the command runs again on the other Node, and both end alike: %s', (does, end) => {
  const script = join(folder, 'command.mjs');
  const again = `process.env.AGAIN = '1';
const { runOnOwnNode } = await import(${JSON.stringify(join(import.meta.dirname, 'own-node.ts'))});
process.exit(await runOnOwnNode(process.execPath));`;
  writeFileSync(script, `if (process.env.AGAIN) { ${does} } else { ${again} }`);
  const { status, signal, stdout } = spawnSync(process.execPath, [script, 'given'], { encoding: 'utf8' });
  expect({ status, signal, stdout }).toEqual(end);
});

test('without another Node nothing runs', async () => {
  expect(await runOnOwnNode('/nowhere/node')).toBeUndefined();
});
