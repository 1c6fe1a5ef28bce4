import { spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { variablesWithCompiled } from '../harness/compiled-once.ts';
import { ownSeconds, processesWith } from '../harness/process-table.ts';

const kills = 30;

it.runIf(process.platform === 'linux')(
  `${kills} kills while a sandbox is being built leave no command running`,
  async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'capstan-build-')));
    for (let kill = 0; kill < kills; kill++) {
      const seconds = ownSeconds(90_210 + kill);
      const words = [
        join(import.meta.dirname, 'sandboxed-sleeper.ts'),
        folder,
        String(kill * 300),
        `sleep ${seconds}; :`,
      ];
      const env = variablesWithCompiled();
      const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'inherit', 'inherit'] });
      const signal = await new Promise((resolve) => child.on('close', (_code, reason) => resolve(reason)));
      expect(signal).toBe('SIGKILL');
      await expect.poll(() => processesWith(`sleep ${seconds};`), { timeout: 20_000, interval: 10 }).toEqual([]);
    }
    rmSync(folder, { recursive: true, force: true });
  },
);
