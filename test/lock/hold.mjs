// Holds the lock once: hold.mjs <lock> <log> <milliseconds> [child milliseconds]
// The log gets "in" and "out" around the time in which the lock is held.
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { withLock } from '../../scripts/lock.mjs';

const [lock, log, milliseconds, childMilliseconds] = process.argv.slice(2);

await withLock(lock, { onWait: () => undefined }, async (track) => {
  if (childMilliseconds !== undefined) {
    const code = `setTimeout(() => require('node:fs').appendFileSync(${JSON.stringify(log)}, 'child out\\n'), ${childMilliseconds})`;
    track(spawn(process.execPath, ['-e', code], { stdio: 'ignore', detached: true }).pid);
  }
  appendFileSync(log, 'in\n');
  await sleep(Number(milliseconds));
  appendFileSync(log, 'out\n');
});
