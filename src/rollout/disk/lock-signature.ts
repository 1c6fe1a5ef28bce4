import { fileSystem as fs } from '../../disk/file-system.ts';
import { isAlive } from '../../disk/processes.ts';

/** How long a signature binds whose process cannot be looked for: it may be of another container, or of another machine. */
export const mostBegun = 2000;

const signed = /^(capstan pid (\d+) since (\S+))(?: (in|begins) (\S+) (\S+))?\n/;

/** Who signed a lock file. */
export interface LockSignature {
  /** For people. */
  readonly owner: string;
  readonly pid: number;
  readonly since: number;
  /** It is about to take the lock. */
  readonly begins: boolean;
  /** How its process can be told from others of the same number. Absent: it is not said. */
  readonly process?: { readonly space: string; readonly started: string };
}

/** What a process that holds the lock writes, or one that is about to take it. */
export function signatureOf(epoch: number, state: 'held' | 'begins'): string {
  const about = `${state === 'held' ? 'in' : 'begins'} ${processSpace()} ${startOf(process.pid) ?? '-'}`;
  return `capstan pid ${process.pid} since ${new Date(epoch).toISOString()} ${about}\n`;
}

export function readSignature(file: number): { readonly text: string; readonly by?: LockSignature } {
  const buffer = Buffer.alloc(300);
  const text = buffer.toString('latin1', 0, fs.readSync(file, buffer, 0, buffer.length, 0));
  const [, owner, pid, since = '', state, space, started] = signed.exec(text) ?? [];
  if (owner === undefined) return { text };
  const about = { owner, pid: Number(pid), since: Date.parse(since), begins: state === 'begins' };
  return { text, by: space === undefined || started === undefined ? about : { ...about, process: { space, started } } };
}

/**
 * Whether the process that signed is about to take the lock. `unknown`: it may be, as far as can be seen from here, and
 * soon it has taken it or never will.
 */
export function isBeginning(by: LockSignature, now: number): 'yes' | 'no' | 'unknown' {
  if (!by.begins) return 'no';
  const lives = signerLives(by);
  const age = now - by.since;
  return lives !== 'unknown' || (age >= 0 && age < mostBegun) ? lives : 'no';
}

/** Whether the process that signed lives. `unknown`: its number means something else here. */
export function signerLives({ pid, process: signer }: LockSignature): 'yes' | 'no' | 'unknown' {
  if (!isAlive(pid) && (signer === undefined || signer.space === processSpace())) return 'no';
  if (signer === undefined || signer.space !== processSpace() || signer.started === '-') return 'unknown';
  return startOf(pid) === signer.started ? 'yes' : 'no';
}

let space: string | undefined;

/** In which of them a process number means what it means here: the start of the machine, and the container. */
function processSpace(): string {
  return (space ??= `${bootId()}/${linkAt('/proc/self/ns/pid') ?? '-'}`);
}

function bootId(): string {
  try {
    return fs.readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  } catch {
    return '-';
  }
}

function linkAt(path: string): string | undefined {
  try {
    return fs.readlinkSync(path).replaceAll(/\s/g, '_');
  } catch {
    return undefined;
  }
}

/** When a process began, as the system counts it. */
function startOf(pid: number): string | undefined {
  try {
    return fs.readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ')[19];
  } catch {
    return undefined;
  }
}
