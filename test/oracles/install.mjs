// Puts the released programs that Capstan is compared with into this folder: `node test/oracles/install.mjs`.
// The deep tests run it; `npm start` and `npm test` never do. Says nothing, quickly, when there is nothing to do.
import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from '../../scripts/lock.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const lockFile = join(here, 'package-lock.json');
const installedLockFile = join(here, 'node_modules', '.installed-package-lock.json');

if (!isInstalled()) {
  const onWait = () => console.error('Another process installs the oracles; waiting for it');
  const folder = join(here, '..', '..', '.local');
  await withLock(join(folder, 'oracles.lock'), { onWait }, async (track) => {
    // Asked again: the process that we waited for may have done it.
    if (!isInstalled()) await install(track);
  });
}

function isInstalled() {
  return existsSync(installedLockFile) && readFileSync(installedLockFile).equals(readFileSync(lockFile));
}

async function install(track) {
  console.error('Installing the oracles (npm ci, about 400 MB); the first time takes about a minute');
  const { ok, output } = await runNpm(track, [
    'ci',
    '--include=dev',
    '--include=optional',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    // A registry that cannot be reached is reported within seconds, not minutes.
    '--fetch-retries=1',
    '--fetch-retry-mintimeout=1000',
  ]);
  if (ok) {
    copyFileSync(lockFile, installedLockFile);
    return;
  }
  console.error(
    `${output}\nThe oracles could not be installed: npm ci failed in test/oracles. ` +
      'Check the network and the message above, then run `node test/oracles/install.mjs`.',
  );
  process.exitCode = 1;
}

function runNpm(track, args) {
  return new Promise((resolve) => {
    const shell = process.platform === 'win32';
    const child = spawn('npm', args, { cwd: here, shell, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    child.on('spawn', () => track(child.pid));
    child.on('error', (error) => resolve({ ok: false, output: error.message }));
    child.on('close', (code) => resolve({ ok: code === 0, output: output.trimEnd() }));
  });
}
