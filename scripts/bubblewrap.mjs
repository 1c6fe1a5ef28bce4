// Linux commands run inside bubblewrap. Where the system has none, the distribution's package
// is unpacked into .local/bubblewrap: this needs no root and changes nothing outside the repository.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const installCommands = [
  ['apt-get', 'sudo apt-get install bubblewrap'],
  ['dnf', 'sudo dnf install bubblewrap'],
  ['pacman', 'sudo pacman -S bubblewrap'],
  ['zypper', 'sudo zypper install bubblewrap'],
  ['apk', 'sudo apk add bubblewrap'],
];
/** After a failed attempt the next one waits, so that starts stay quick on a machine without network. */
const retryAfter = 24 * 60 * 60 * 1000;

export function needsBubblewrap(root) {
  if (process.platform !== 'linux' || onPath('bwrap') || existsSync(unpacked(root))) return false;
  const failed = statSync(failureMark(root), { throwIfNoEntry: false });
  return failed === undefined || Date.now() - failed.mtimeMs > retryAfter;
}

/** `run(command, args, options)` resolves to { ok, output }. Never throws for a missing bubblewrap: capstan runs without. */
export async function addBubblewrap(root, { run, say }) {
  say('Unpacking bubblewrap for the command sandbox into .local/bubblewrap');
  rmSync(failureMark(root), { force: true });
  const reason = await unpack(root, run);
  if (reason === undefined) return;

  rmSync(join(root, '.local', 'bubblewrap'), { recursive: true, force: true });
  writeFileSync(failureMark(root), reason);
  const command = installCommands.find(([manager]) => onPath(manager))?.[1];
  say(`Could not unpack bubblewrap (${reason}). Until it is installed, Capstan refuses to run commands in a sandbox.`);
  say(command === undefined ? 'Install the package "bubblewrap" of your distribution.' : `To install it: ${command}`);
}

/** The reason why it failed, or undefined. */
async function unpack(root, run) {
  if (!onPath('apt-get') || !onPath('dpkg')) return 'there is no apt-get here to fetch it with';
  const work = join(root, '.local', 'apt');
  rmSync(work, { recursive: true, force: true });
  mkdirSync(join(work, 'download'), { recursive: true });
  try {
    const package_ = (await download(work, run, [])) ?? (await downloadWithPrivateLists(work, run));
    if (package_ === undefined) return 'its package could not be downloaded';
    const target = join(root, '.local', 'bubblewrap');
    if (!(await run('dpkg', ['-x', package_, target])).ok) return 'its package could not be unpacked';
    if (!(await run(unpacked(root), ['--version'])).ok) return 'the unpacked program does not run here';
    writeFileSync(
      join(target, 'bwrap.sha256'),
      `${createHash('sha256')
        .update(readFileSync(unpacked(root)))
        .digest('hex')}\n`,
    );
    return undefined;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function download(work, run, options) {
  const folder = join(work, 'download');
  const limits = ['-o', 'Acquire::http::Timeout=20', '-o', 'Acquire::Retries=1'];
  await run('apt-get', ['-q', ...limits, ...options, 'download', 'bubblewrap'], { cwd: folder, timeout: 120_000 });
  const file = readdirSync(folder).find((name) => name.endsWith('.deb'));
  return file === undefined ? undefined : join(folder, file);
}

/** For systems whose package lists are missing or out of date; those of the system need root. */
async function downloadWithPrivateLists(work, run) {
  for (const folder of ['state/lists/partial', 'cache/archives/partial'])
    mkdirSync(join(work, folder), { recursive: true });
  const options = ['-o', `Dir::State=${join(work, 'state')}`, '-o', `Dir::State::Lists=${join(work, 'state/lists')}`];
  options.push('-o', `Dir::Cache=${join(work, 'cache')}`, '-o', `Dir::Cache::Archives=${join(work, 'cache/archives')}`);
  // As root, apt would step down to a user that may not write here.
  options.push('-o', 'APT::Sandbox::User=root');
  await run('apt-get', ['-q', '-o', 'Acquire::http::Timeout=20', ...options, 'update'], {
    cwd: work,
    timeout: 180_000,
  });
  return download(work, run, options);
}

const unpacked = (root) => join(root, '.local', 'bubblewrap', 'usr', 'bin', 'bwrap');
const failureMark = (root) => join(root, '.local', 'bubblewrap-failed');

function onPath(program) {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .some((folder) => folder !== '' && existsSync(join(folder, program)));
}
