import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { processTable } from '../../src/adapters/exec/leftover-processes.ts';
import { createEmptyMountPoints } from '../../src/adapters/sandbox/linux/mount-points.ts';
import { otherEngine, stopped } from '../harness/other-engine.ts';

let base = '';
let target = '';
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'capstan-engines-'));
  target = join(base, '.codex');
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const linux = process.platform === 'linux' ? describe : describe.skip;
const engine = () =>
  createEmptyMountPoints({
    registries: [join(base, 'registry')],
    processes: processTable,
    temporaryDirectories: [],
    lingerMs: 0,
  });

linux('engines in processes of their own', () => {
  test('an engine that is stopped while it removes a folder does not take it from one that begins', async () => {
    const other = otherEngine(base, { role: 'stops', rounds: 1 });
    await stopped(other);
    const wakesUp = spawn('sh', ['-c', `sleep 2; kill -CONT ${other.child.pid}`]);
    const hold = engine().hold([target]);
    mkdirSync(target, { recursive: true });
    await new Promise((resolve) => wakesUp.on('close', resolve));
    await other.printed;
    expect(existsSync(target)).toBe(true);
    hold.release();
    expect(existsSync(target)).toBe(false);
  });

  test('none loses a folder that it mounts on, also when others are stopped or killed', async () => {
    const engines = Array.from({ length: 3 }, () => otherEngine(base, { role: 'rounds', rounds: 250 }));
    const killed = otherEngine(base, { role: 'rounds', rounds: 100_000 });
    await vi.waitUntil(() => existsSync(target), { timeout: 20_000, interval: 5 });
    for (let time = 0; time < 8; time++) {
      const pid = engines[time % 3]?.child.pid ?? 0;
      process.kill(pid, 'SIGSTOP');
      await new Promise((resolve) => setTimeout(resolve, 60));
      process.kill(pid, 'SIGCONT');
    }
    killed.child.kill('SIGKILL');
    expect(await Promise.all(engines.map(({ printed }) => printed))).toEqual(['0', '0', '0']);
    engine().hold([target]).release();
    // One that is killed while it writes leaves a file that is not finished. Those are removed when they are old.
    const left = readdirSync(join(base, 'registry')).filter(
      (name) => !(name.startsWith(`${killed.child.pid}-`) && name.endsWith('.new')),
    );
    expect([existsSync(target), left]).toEqual([false, []]);
  });
});
