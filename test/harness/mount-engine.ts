import fs, { mkdirSync, statSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { processTable } from '../../src/adapters/exec/leftover-processes.ts';
import { createEmptyMountPoints } from '../../src/adapters/sandbox/linux/mount-points.ts';

/**
 * An engine in a process of its own. `rounds`: mounts on a folder again and again, and says how often it lost the folder
 * while it was in use. `stops`: stops itself where it is about to remove the folder.
 */
const [, , base = '', role = '', amount = '0', registry = ''] = process.argv;
const folder = join(base, '.codex');
const pause = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
if (role === 'stops') {
  const { rmdirSync } = fs;
  fs.rmdirSync = (path) => {
    if (String(path).endsWith('/.codex')) process.kill(process.pid, 'SIGSTOP');
    rmdirSync(path);
  };
  syncBuiltinESMExports();
}
const points = createEmptyMountPoints({
  registries: [join(base, registry)],
  processes: processTable,
  temporaryDirectories: [base],
  lingerMs: 0,
});

let lost = 0;
for (let round = 0; round < Number(amount); round++) {
  const hold = points.hold([folder]);
  mkdirSync(folder, { recursive: true });
  const mounted = statSync(folder).ino;
  pause(Math.random() * 3);
  if (statSync(folder, { throwIfNoEntry: false })?.ino !== mounted) lost += 1;
  hold.release();
}
process.stdout.write(String(lost));
