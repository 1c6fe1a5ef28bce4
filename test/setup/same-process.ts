import { deepEqual } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll } from 'vitest';

const events = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGPIPE', 'uncaughtException', 'unhandledRejection'] as const;

/** Those that listen. A command that may reach this machine reaches every one. */
function servers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length;
}

/** The state that the suites of this process share. */
function look() {
  return {
    folder: process.cwd(),
    variables: { ...process.env },
    umask: process.umask(),
    exitCode: process.exitCode,
    listeners: Object.fromEntries(events.map((name) => [name, process.listenerCount(name)])),
    servers: servers(),
    clock: [Date, setTimeout, setInterval, setImmediate],
    // A spy that stays behind would be in the place of one of these.
    functions: [process.cwd, process.kill, process.exit, ...Object.values(process.getBuiltinModule('node:fs'))],
  };
}

const before = look();
// Each suite leaves the process as it found it.
afterAll(async () => {
  // Servers that were closed last are gone a moment later.
  for (let tries = 0; servers() > before.servers && tries < 2000; tries++) await sleep(10);
  deepEqual(look(), before);
});
