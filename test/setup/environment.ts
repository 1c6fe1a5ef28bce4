import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, inject } from 'vitest';
import { removeFoldersOfDeadProcesses } from '../../src/adapters/disk/processes.ts';
import { testSeed } from '../harness/seed.ts';
import { cleanUp } from '../harness/when-test-ends.ts';

fc.configureGlobal({ seed: testSeed });
afterEach(cleanUp);

// Tests state their world: none of the developer's keys, homes, shells, languages, proxies or temporary folders is in it.
const ofTheRunner = /^(?:CAPSTAN_TEST_\w+|VITEST\w*|TINYPOOL\w*|NODE_ENV|TEST|MODE|DEV|PROD|SSR|BASE_URL)$/;
for (const name of Object.keys(process.env)) if (!ofTheRunner.test(name)) delete process.env[name];

// Not where commands may write: a login shell that starts there would not be asked.
const homes = '/var/tmp';
const home = mkdtempSync(join(homes, `capstan-home-${process.pid}-`));
// A worker that is killed leaves its own.
removeFoldersOfDeadProcesses(homes, 'capstan-home-');
Object.assign(process.env, {
  HOME: home,
  USERPROFILE: home,
  PATH: `${inject('tools')}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin`,
  SHELL: '/bin/bash',
  LANG: 'C.UTF-8',
  TERM: 'xterm-256color',
});
afterAll(() => rmSync(home, { recursive: true, force: true }));
