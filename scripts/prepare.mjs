// Makes a fresh clone ready before `npm start` and `npm test`: packages, bundle, bubblewrap.
// Runs on Node 20 without node_modules. Says nothing, quickly, when there is nothing to do.
import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, lstatSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addBubblewrap, needsBubblewrap } from './bubblewrap.mjs';
import { isBuilt } from './build-stamp.mjs';
import { withLock } from './lock.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const modules = join(root, 'node_modules');
const lockFile = join(root, 'package-lock.json');
const installedLockFile = join(modules, '.installed-package-lock.json');
const pinnedNode = join(modules, 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');

class Problem extends Error {}

try {
  if (hasWork()) {
    const onWait = () => say('Another process prepares this folder; waiting for it');
    await withLock(join(root, '.local', 'prepare.lock'), { onWait }, prepare);
  }
  requireUsableNode();
} catch (error) {
  if (!(error instanceof Problem)) throw error;
  console.error(`\n${error.message}`);
  process.exitCode = 1;
}

function hasWork() {
  return !isInstalled() || !isBuilt(root) || needsBubblewrap(root);
}

async function prepare(track) {
  // Asked again for each: the process that we waited for may have done it.
  if (!isInstalled()) await install(track);
  if (!isBuilt(root)) await build(track);
  if (needsBubblewrap(root)) await addBubblewrap(root, { say, run: (...command) => run(track, ...command) });
}

function isInstalled() {
  return existsSync(installedLockFile) && readFileSync(installedLockFile).equals(readFileSync(lockFile));
}

async function install(track) {
  if (lstatSync(modules, { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw new Problem(
      'node_modules is a link to another folder, and installing would empty that one. Remove the link, then try again.',
    );
  }
  say('Installing packages (npm ci); the first time takes about half a minute');
  // The npm that started us, or the one on PATH, but never on a Node that this install replaces.
  const { npm_execpath: npm, npm_node_execpath: node, PATH = '' } = process.env;
  const path = PATH.split(delimiter)
    .filter((folder) => !folder.startsWith(modules))
    .join(delimiter);
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  const options = { env: { ...process.env, PATH: path } };
  const result =
    npm !== undefined && node !== undefined && !node.startsWith(modules)
      ? await run(track, node, [npm, ...args], options)
      : await run(track, 'npm', args, options);
  if (!result.ok) {
    throw new Problem(
      `${result.output}\nnpm ci failed. Check the network and the message above, then run the command again.`,
    );
  }
  copyFileSync(lockFile, installedLockFile);
}

async function build(track) {
  requireUsableNode();
  say('Building dist/');
  const node = existsSync(pinnedNode) ? pinnedNode : process.execPath;
  const result = await run(track, node, [join(root, 'scripts', 'build.mjs')]);
  if (!result.ok)
    throw new Problem(`${result.output}\nThe build failed. Fix the error above, then run the command again.`);
}

/** The scripts after this one run on the pinned Node where it is there, else on the one that runs npm. */
function requireUsableNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (existsSync(pinnedNode) || major > 22 || (major === 22 && minor >= 19)) return;
  throw new Problem(
    `capstan needs Node 22.19 or newer; this is ${process.versions.node}, and the pinned Node 24 is not in node_modules.\n` +
      'npm puts it there unless install scripts are turned off: run "npm rebuild node --ignore-scripts=false".',
  );
}

function run(track, command, args, { cwd = root, env = process.env, timeout } = {}) {
  return new Promise((resolve) => {
    const shell = process.platform === 'win32' && command === 'npm';
    const child = spawn(command, args, { cwd, env, timeout, shell, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    child.on('spawn', () => track(child.pid));
    child.on('error', (error) => resolve({ ok: false, output: error.message }));
    child.on('close', (code) => resolve({ ok: code === 0, output: output.trimEnd() }));
  });
}

function say(line) {
  console.error(line);
}
