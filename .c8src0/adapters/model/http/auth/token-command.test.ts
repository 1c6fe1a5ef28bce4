import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { TokenCommand } from '../../../../core/config/providers/provider-config.ts';
import type { CredentialsWanted } from '../credentials-and-headers.ts';
import { tokenFromCommand } from './token-command.ts';

const { signal } = new AbortController();
const provider = { id: 'p', name: 'Some Place' };

/** A command that is a script of Node, in a folder of its own. */
function commandOf(script: string, more: Partial<TokenCommand> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'capstan-token-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'print.mjs');
  writeFileSync(file, script);
  let now = 0;
  const command = {
    command: process.execPath,
    args: [file],
    timeoutMs: 20_000,
    refreshIntervalMs: 1000,
    cwd: folder,
    ...more,
  };
  const ask = tokenFromCommand(command, provider, {
    environment: process.env,
    programs: { find: (name) => (name === 'print-token' ? process.execPath : undefined) },
    programFolder: () => '/',
    now: () => now,
  });
  return {
    folder,
    ask: (wanted: Partial<CredentialsWanted> = {}) => ask({ signal, ...wanted }),
    wait: (ms: number) => (now += ms),
  };
}

const counting = `import { appendFileSync, readFileSync } from 'node:fs';
appendFileSync('runs', 'x');
console.log(' token-' + readFileSync('runs', 'utf8').length);
console.error('noise');`;
const bearer = (token: string) => ({ kind: 'bearer', mode: 'api-key', token, renewable: true });

test('what it prints is the token, until it is too old or refused', async () => {
  const { ask, wait } = commandOf(counting);
  expect(await ask({ asIs: true })).toEqual(bearer(''));
  expect(await ask()).toEqual(bearer('token-1'));
  wait(999);
  expect([await ask(), await ask({ asIs: true })]).toEqual([bearer('token-1'), bearer('token-1')]);
  wait(1);
  expect(await ask()).toEqual(bearer('token-2'));
  expect(await ask({ rejected: 'token-1' })).toEqual(bearer('token-2'));
  expect(await ask({ rejected: 'token-2' })).toEqual(bearer('token-3'));
});

test('an interval of 0 means: until it is refused', async () => {
  const { ask, wait } = commandOf(counting, { refreshIntervalMs: 0 });
  await ask();
  wait(1e9);
  expect(await ask()).toEqual(bearer('token-1'));
});

test('those who ask at the same time share one run', async () => {
  const { ask, folder } = commandOf(counting);
  expect(await Promise.all([ask(), ask(), ask()])).toEqual([1, 1, 1].map((run) => bearer(`token-${run}`)));
  expect(readFileSync(join(folder, 'runs'), 'utf8')).toBe('x');
});

test.each<[string, string, Partial<TokenCommand>, string]>([
  ['fails', 'process.exit(3)', {}, 'ended with exit code 3'],
  ['kills itself', 'process.kill(process.pid, "SIGTERM"); setInterval(() => {}, 1000)', {}, 'was ended by SIGTERM'],
  ['hangs', 'setInterval(() => {}, 1000)', { timeoutMs: 300 }, 'did not end within 0.3 seconds'],
  ['prints nothing', 'console.log("  ")', {}, 'printed nothing'],
  ['prints no text', 'process.stdout.write(Buffer.from([0xff, 0xfe]))', {}, 'printed something that is not text'],
  ['prints without end', 'process.stdout.write("x".repeat(100_000))', {}, 'printed too much'],
  ['is not there', '', { command: '/nowhere/print' }, 'could not be started (ENOENT)'],
  ['has an odd path', '', { command: '/pr\0int' }, 'could not be started (ERR_INVALID_ARG_VALUE)'],
  [
    'is on no folder of the PATH that counts',
    '',
    { command: 'print' },
    'was not found on the PATH (Capstan skips folders that commands can write)',
  ],
])('one that %s is reported, and asked again next time', async (_, script, more, why) => {
  const { ask } = commandOf(script, more);
  const told = {
    kind: 'missing',
    message: `The command that prints the key for Some Place ${why}.`,
    next: 'Run the command in model_providers.p.auth by hand to see why.',
  };
  expect([await ask(), await ask()]).toEqual([told, told]);
});
