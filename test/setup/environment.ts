import { mkdtempSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach } from 'vitest';
import { sweepFolders } from '../../src/disk/processes.ts';
import { testSeed } from '../harness/seed.ts';
import { cleanUp } from '../harness/when-test-ends.ts';

fc.configureGlobal({ seed: testSeed });
afterEach(cleanUp);

// A test must not see, use or change what belongs to the developer: keys, homes, threads.
for (const name of Object.keys(process.env)) {
  if (/^(CAPSTAN|CODEX|OPENAI|ANTHROPIC)_/.test(name) && !name.startsWith('CAPSTAN_TEST_')) delete process.env[name];
}

// The copy that Capstan unpacks works as one of the system, so no test is warned about it.
process.env['PATH'] = `${process.env['PATH'] ?? ''}:${join(import.meta.dirname, '../../.local/bubblewrap/usr/bin')}`;

// Without CODEX_HOME the default is a folder in the home directory, so that is an empty one.
// npm keeps its own files: suites that install packages need the registry settings and the cache.
const developerHome = homedir();
process.env['npm_config_userconfig'] ??= join(developerHome, '.npmrc');
process.env['npm_config_cache'] ??= join(developerHome, '.npm');

// Not where commands may write: a login shell that starts there would not be asked.
const homes = '/var/tmp';
const home = mkdtempSync(join(homes, `capstan-home-${process.pid}-`));
// A worker that is killed leaves its own.
sweepFolders(homes, 'capstan-home-');
process.env['HOME'] = home;
process.env['USERPROFILE'] = home;
for (const name of ['XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'XDG_CACHE_HOME']) delete process.env[name];
afterAll(() => rmSync(home, { recursive: true, force: true }));
