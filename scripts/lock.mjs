// A lock between processes: a directory that holds one file, named after its owner.
//
// Every step is one atomic rename, so there is no moment in which two processes hold the lock:
//   take       rename a prepared directory onto the lock; fails while the lock holds an owner file
//   take over  rename the dead owner's file to one's own name; fails if another was first
//   release    delete the owner file, then the empty directory
import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const host = encodeURIComponent(hostname());
const lookEvery = 100;
const heartbeatEvery = 2_000;
/** For an owner that cannot be asked (another machine, a process id used again): its heartbeat stood still this long. */
const deadAfter = 120_000;

/**
 * Runs `work` while holding the lock at `path`; waits for it as long as its owner lives.
 * `work` gets `track(pid)`: a child that outlives its killed owner keeps the lock until it ends.
 */
export async function withLock(path, { onWait }, work) {
  const name = ownerName();
  await take(path, name, onWait);
  const ownerFile = join(path, name);
  const children = [];
  // A process that slept too long finds its file gone with the lock: it must not bring it back.
  const beat = () => existsSync(ownerFile) && writeFileSync(ownerFile, children.join('\n'));
  beat();
  const heartbeat = setInterval(beat, heartbeatEvery);
  try {
    return await work((pid) => {
      children.push(pid);
      beat();
    });
  } finally {
    clearInterval(heartbeat);
    rmSync(ownerFile, { force: true });
    attempt(() => rmdirSync(path), ['ENOENT', 'ENOTEMPTY', 'EEXIST']);
  }
}

async function take(path, name, onWait) {
  mkdirSync(dirname(path), { recursive: true });
  let seen = { beat: undefined, since: 0 };
  for (let looks = 0; ; looks += 1) {
    const owner = readOwner(path);
    if (owner === undefined) {
      if (takeFree(path, name)) return;
    } else {
      if (owner.beat !== seen.beat) seen = { beat: owner.beat, since: performance.now() };
      const silentFor = performance.now() - seen.since;
      const dead = owner.host === host ? !owner.pids.some(isRunning) || silentFor > deadAfter : silentFor > deadAfter;
      if (dead && attempt(() => renameSync(join(path, owner.name), join(path, name)), ['ENOENT'])) return;
    }
    if (looks === 0) onWait();
    await sleep(lookEvery);
  }
}

function takeFree(path, name) {
  const prepared = `${path}.${name}`;
  mkdirSync(prepared);
  writeFileSync(join(prepared, name), '');
  if (attempt(() => renameSync(prepared, path), ['ENOTEMPTY', 'EEXIST', 'EPERM'])) return true;
  rmSync(prepared, { recursive: true });
  return false;
}

const ownerName = () => `${host}+${process.pid}+${randomUUID()}`;

function readOwner(path) {
  try {
    const name = readdirSync(path)[0];
    if (name === undefined) return undefined;
    const file = join(path, name);
    const [ownerHost, pid] = name.split('+');
    const children = readFileSync(file, 'utf8').split('\n').filter(Boolean);
    return { name, host: ownerHost, pids: [pid, ...children].map(Number), beat: `${name} ${statSync(file).mtimeMs}` };
  } catch (error) {
    // Released or taken over while we looked.
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
  // In a container nobody may collect an orphan that ended: it stays as a zombie and still takes signals.
  return !isZombie(pid);
}

function isZombie(pid) {
  try {
    // The program's name stands in parentheses before the state and may hold anything.
    return /^.*\) Z /s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** True if the action succeeded, false if it failed in one of the expected ways. */
function attempt(action, expectedCodes) {
  try {
    action();
    return true;
  } catch (error) {
    if (expectedCodes.includes(error.code)) return false;
    throw error;
  }
}
