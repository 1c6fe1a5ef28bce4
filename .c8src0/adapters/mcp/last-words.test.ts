import { expect, test } from 'vitest';
import { finalErrorLine } from './pipe-transport.ts';

const missingModule = `node:internal/modules/cjs/loader:1228
  throw err;
  ^

Error: Cannot find module '/home/me/x'
    at Module._resolveFilename (node:internal/modules/cjs/loader:1225:15)
    at node:internal/main/run_main_module:28:49 {
  code: 'MODULE_NOT_FOUND',
  requireStack: []
}

Node.js v20.20.2
`;

const rejection = `node:internal/process/promises:394
      triggerUncaughtException(err, true /* fromPromise */);
      ^

[UnhandledPromiseRejection: This error originated by rejecting a promise with the reason "no".] {
  code: 'ERR_UNHANDLED_REJECTION'
}

Node.js v24.1.0`;

test.each([
  ['a crash of Node', missingModule, "Error: Cannot find module '/home/me/x'"],
  [
    'a rejection in Node',
    rejection,
    '[UnhandledPromiseRejection: This error originated by rejecting a promise with the reason "no".] {',
  ],
  [
    'a Node that was thrown something else',
    'x.js:1\nthrow 7\n^\n7\n(Use `node --trace-uncaught ...`)\n\nNode.js v20.1.0',
    '7',
  ],
  [
    'Python',
    'Traceback (most recent call last):\n  File "x"\nModuleNotFoundError: No module named \'y\'\n',
    "ModuleNotFoundError: No module named 'y'",
  ],
  [
    'Java',
    'Exception in thread "main" java.lang.Error: no\n\tat Main.main(Main.java:3)\n',
    'Exception in thread "main" java.lang.Error: no',
  ],
  ['an earlier error that was survived', 'Error: retrying\nfatal: port 80 is taken\n', 'fatal: port 80 is taken'],
  ['nothing but a version', 'Node.js v20.20.2', 'Node.js v20.20.2'],
  ['nothing', ' \n', ''],
])('why a server ended, after %s', (_, errors, expected) => {
  expect(finalErrorLine(errors)).toBe(expected);
});
