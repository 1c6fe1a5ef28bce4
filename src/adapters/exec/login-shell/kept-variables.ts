import type { ShellEnvironmentPolicy } from '../../../core/policy/environment/shell-environment-policy.ts';
import { isJsonObject, parseJsonObject } from '../../../protocol/json.ts';
import { shellQuoted } from '../../../protocol/shell.ts';
import { errorCode, fileSystem } from '../../disk/file-system.ts';
import { readOwnFile, writeOwnFile } from '../../disk/own-files.ts';
import { withRegular } from '../../disk/regular-files.ts';
import { identifyProcess } from '../leftover-processes.ts';
import { join } from 'node:path';

export type ShellVariables = Readonly<Record<string, string>>;

/** What a login shell answered, kept for other processes. */
export interface KeptVariables {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly variables: ShellVariables;
}

const mostBytes = 1_000_000;
const sweptAfterMs = 24 * 60 * 60 * 1000;

/** Never throws: whatever is not as we would write it counts as missing. */
export function loadKeptVariables(folder: string, key: string): KeptVariables | undefined {
  const file = readOwnFile(fileOf(folder, key), { maxBytes: mostBytes, toOthers: 'closed' });
  const { at, variables } = parseJsonObject(file?.bytes.toString('utf8') ?? '') ?? {};
  return typeof at === 'number' && isVariables(variables) ? { at, variables } : undefined;
}

/** Readers see all of it or nothing. Throws what the disk says. */
export function keepVariables(folder: string, key: string, kept: KeptVariables): void {
  const text = JSON.stringify(kept);
  if (Buffer.byteLength(text) > mostBytes) return;
  writeOwnFile(fileOf(folder, key), join(folder, `${key}.${process.pid}.tmp`), text);
}

/** Removes what earlier start-up files led to, and what was left by processes that were ended. */
export function removeStaleVariables(folder: string, now: number): void {
  for (const name of fileSystem.readdirSync(folder)) {
    if (!/^[0-9a-f]{64}\.(?:json|lock|\d+\.tmp)$/.test(name)) continue;
    const path = join(folder, name);
    const found = fileSystem.statSync(path, { throwIfNoEntry: false });
    if (found !== undefined && now - found.mtimeMs > sweptAfterMs) fileSystem.rmSync(path, { force: true });
  }
}

function fileOf(folder: string, key: string): string {
  return join(folder, `${key}.json`);
}

/** Names and values that a process can be started with. */
export function isVariables(value: unknown): value is ShellVariables {
  if (!isJsonObject(value)) return false;
  return Object.entries(value).every(
    ([name, text]) => name !== '' && !/[=\0]/.test(name) && typeof text === 'string' && !text.includes('\0'),
  );
}

/** Where the program at the end of the login shell keeps the variables that pass the policy and are no secrets. */
export interface KeepPlace {
  readonly folder: string;
  readonly key: string;
  readonly policy: Omit<ShellEnvironmentPolicy, 'set'>;
  /** Variables that hold keys of providers, whatever they are called. */
  readonly secretNames: readonly string[];
}

/** Where the variable that would change how Node starts stands meanwhile. */
export const nodeOptionsName = 'CAPSTAN_NODE_OPTIONS';

export interface KeepProgram {
  readonly node: string;
  /** The file of `keep-variables.ts`. */
  readonly path: string;
}

/** The last word of the login shell. It calls nothing by a bare name: what PATH says here is what start-up files made of it. */
export function loginShellScript({ node, path }: KeepProgram, place: KeepPlace | undefined): string {
  const words = [node, path, Buffer.from(JSON.stringify(place ?? null)).toString('base64url')];
  return [
    `if [ "\${NODE_OPTIONS+set}" = set ]; then`,
    `${nodeOptionsName}=$NODE_OPTIONS; export ${nodeOptionsName}; unset NODE_OPTIONS; fi;`,
    `exec ${words.map(shellQuoted).join(' ')}`,
  ].join(' ');
}

const { O_CREAT, O_EXCL, O_WRONLY } = fileSystem.constants;

/** Who captures now: one process for the same question, so that a slow login shell is not started many times at once. */
export type CaptureLock = 'taken' | { readonly kind: 'held'; readonly since: number } | 'unavailable';

/** Between its making and its first word a lock names no process. */
const unsignedMs = 10_000;
/** A login shell that hangs for ever does not keep others from trying. */
const longestMs = 60 * 60 * 1000;

/** Two processes that find one lock stale at once may both take it: then two shells run, which does no harm. */
export async function takeCaptureLock(folder: string, key: string, now: number): Promise<CaptureLock> {
  for (const last of [false, true]) {
    const made = make(lockOf(folder, key));
    if (made !== 'exists') return made;
    const since = await heldSince(lockOf(folder, key), now);
    if (since !== undefined) return { kind: 'held', since };
    if (!last) releaseCaptureLock(folder, key);
  }
  return 'unavailable';
}

/** Names the process that the lock ends with. */
export async function signCaptureLock(folder: string, key: string, pid: number): Promise<void> {
  const startedAt = await identifyProcess(pid);
  try {
    // Not made again: the capture may have ended meanwhile.
    withRegular(lockOf(folder, key), { links: 'refused', flags: O_WRONLY }, (file) =>
      fileSystem.writeSync(file, `${pid} ${startedAt ?? ''}`),
    );
  } catch {
    // A lock that names no process counts as stale soon.
  }
}

export function releaseCaptureLock(folder: string, key: string): void {
  try {
    fileSystem.rmSync(lockOf(folder, key), { force: true });
  } catch {
    // The process that it names ends, and then it counts no more.
  }
}

function lockOf(folder: string, key: string): string {
  return join(folder, `${key}.lock`);
}

function make(path: string): 'taken' | 'exists' | 'unavailable' {
  try {
    withRegular(path, { links: 'refused', flags: O_WRONLY | O_CREAT | O_EXCL, mode: 0o600 }, () => undefined);
    return 'taken';
  } catch (error) {
    return errorCode(error) === 'EEXIST' ? 'exists' : 'unavailable';
  }
}

/** When the capture began that the lock stands for; undefined when it is over or was never ours. */
async function heldSince(path: string, now: number): Promise<number | undefined> {
  const lock = readOwnFile(path, { maxBytes: 200, toOthers: 'readable' });
  if (lock === undefined) return undefined;
  const { mtimeMs } = lock.stats;
  const [pid = '', ...words] = lock.bytes.toString('latin1').split(' ');
  if (pid === '') return now - mtimeMs < unsignedMs ? mtimeMs : undefined;
  const isRunning = words.join(' ') === ((await identifyProcess(Number(pid))) ?? '-');
  return isRunning && now - mtimeMs < longestMs ? mtimeMs : undefined;
}

type Variables = Readonly<Record<string, string>>;

/** What start-up files may go by and a fresh login has, too. */
const passedOn = [
  'HOME',
  'USER',
  'LOGNAME',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'TMPDIR',
  'XDG_RUNTIME_DIR',
  'XDG_CONFIG_HOME',
  'ZDOTDIR',
];

/**
 * What the login shell starts with: what a fresh login would have, and nothing else of the caller's. So whatever it
 * answers comes from the start-up files, is the same for every caller, and can be kept for the next one.
 */
export function bareEnvironment(env: Variables, { shell, home }: { shell: string; home: string }): Variables {
  const passed = Object.fromEntries(
    passedOn.flatMap((name): [string, string][] => (env[name] === undefined ? [] : [[name, env[name]]])),
  );
  const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
  return { HOME: home, ...passed, PATH: path, SHELL: shell, TERM: 'dumb' };
}

/** Variables that the shell says about itself, or that it was given so that it can start. */
const ownToShell = new Set(['SHLVL', '_', 'PWD', 'OLDPWD', 'TERM']);

export function isShellVariable(name: string): boolean {
  return ownToShell.has(name);
}
