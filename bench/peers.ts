import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export const peersFolder = join(import.meta.dirname, 'peers');

const lockFile = join(peersFolder, 'package-lock.json');
const installedLockFile = join(peersFolder, 'node_modules/.installed-package-lock.json');

/** Installs the programs to compare with, on first use and when their versions change. */
export function installPeers(say: (line: string) => void): void {
  if (existsSync(installedLockFile) && readFileSync(installedLockFile).equals(readFileSync(lockFile))) return;
  say('Installing the programs to compare with (npm ci in bench/peers, about 600 MB)');
  // npm runs on the Node that it came with, not on the pinned one that is first on the path of scripts.
  const path = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
    .join(delimiter);
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: peersFolder,
    env: { ...process.env, PATH: path },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) throw new Error('npm ci in bench/peers failed. Check the network and the message above.');
  copyFileSync(lockFile, installedLockFile);
}

export function peerVersion(name: string): string {
  const file = readFileSync(join(peersFolder, 'node_modules', name, 'package.json'), 'utf8');
  return (JSON.parse(file) as { readonly version: string }).version;
}
