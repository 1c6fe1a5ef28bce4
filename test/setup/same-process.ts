import { deepEqual } from 'node:assert/strict';
import { afterAll } from 'vitest';

const events = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGPIPE', 'uncaughtException', 'unhandledRejection'] as const;

/** What the suites that share this process have in common. */
function look() {
  return {
    folder: process.cwd(),
    variables: { ...process.env },
    umask: process.umask(),
    exitCode: process.exitCode,
    listeners: Object.fromEntries(events.map((name) => [name, process.listenerCount(name)])),
    clock: [Date, setTimeout, setInterval, setImmediate],
    // A spy that stays behind would be in the place of one of these.
    functions: [process.cwd, process.kill, process.exit, ...Object.values(process.getBuiltinModule('node:fs'))],
  };
}

const before = look();
// Each suite leaves the process as it found it.
afterAll(() => deepEqual(look(), before));
