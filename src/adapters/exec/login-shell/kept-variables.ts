import type { ShellEnvironmentPolicy } from '../../../core/policy/environment/shell-environment-policy.ts';
import { isJsonObject, parseJsonObject } from '../../../protocol/json.ts';
import { quoteShellWord } from '../../../protocol/shell.ts';
import { errorCode, fileSystem } from '../../disk/file-system.ts';
import { readOwnFile, writeOwnFile } from '../../disk/own-files.ts';
import { withRegularFile } from '../../disk/regular-files.ts';
import { identifyProcess } from '../leftover-processes.ts';
import { join } from 'node:path';

export type ShellVariables = Readonly<Record<string, string>>;
/** `at`: milliseconds since the Unix epoch. */
export type CachedVariables = { readonly at: number; readonly variables: ShellVariables };
const mostBytes = 1_000_000;
const sweptAfterMs = 24 * 60 * 60 * 1000;

/** Never throws: content that we would not have written counts as missing. */
export function loadCachedVariables(folder: string, key: string): CachedVariables | undefined {
  const file = readOwnFile(fileOf(folder, key), { maxBytes: mostBytes, toOthers: 'closed' });
  const { at, variables } = parseJsonObject(file?.bytes.toString('utf8') ?? '') ?? {};
  return typeof at === 'number' && isShellVariables(variables) ? { at, variables } : undefined;
}

/** Atomic for readers. Throws what the disk reports. */
export function cacheVariables(folder: string, key: string, kept: CachedVariables): void {
  const text = JSON.stringify(kept);
  if (Buffer.byteLength(text) > mostBytes) return;
  writeOwnFile(fileOf(folder, key), join(folder, `${key}.${process.pid}.tmp`), text);
}

export function removeStaleVariables(folder: string, now: number): void {
  for (const name of fileSystem.readdirSync(folder)) {
    if (!/^[0-9a-f]{64}\.(?:json|lock|\d+\.tmp)$/.test(name)) continue;
    const path = join(folder, name);
    const found = fileSystem.statSync(path, { throwIfNoEntry: false });
    if (found !== undefined && now - found.mtimeMs > sweptAfterMs) fileSystem.rmSync(path, { force: true });
  }
}

const fileOf = (folder: string, key: string): string => join(folder, `${key}.json`);

export function isShellVariables(value: unknown): value is ShellVariables {
  if (!isJsonObject(value)) return false;
  return Object.entries(value).every(
    ([name, text]) => name !== '' && !/[=\0]/.test(name) && typeof text === 'string' && !text.includes('\0'),
  );
}

/** Tells the program that ends the login shell where to keep variables that pass the policy and are no secrets. */
export interface VariableCachePlace {
  readonly folder: string;
  readonly key: string;
  readonly policy: Omit<ShellEnvironmentPolicy, 'set'>;
  readonly secretNames: readonly string[];
}

/** Holds the original value of `NODE_OPTIONS`, which would change how Node starts. */
export const nodeOptionsName = 'CAPSTAN_NODE_OPTIONS';
export type CachingProgram = { readonly node: string; readonly path: string };

/** Final command of the login shell. It uses no bare names: start-up files decide what PATH is here. */
export function loginShellScript({ node, path }: CachingProgram, place: VariableCachePlace | undefined): string {
  const words = [node, path, Buffer.from(JSON.stringify(place ?? null)).toString('base64url')];
  return [
    `if [ "\${NODE_OPTIONS+set}" = set ]; then`,
    `${nodeOptionsName}=$NODE_OPTIONS; export ${nodeOptionsName}; unset NODE_OPTIONS; fi;`,
    `exec ${words.map(quoteShellWord).join(' ')}`,
  ].join(' ');
}

const { O_CREAT, O_EXCL, O_WRONLY } = fileSystem.constants;
/** Only one process captures for the same question, so that a slow login shell is not started many times at once. */
export type CaptureLock = 'taken' | { readonly kind: 'held'; readonly since: number } | 'unavailable';
const unsignedMs = 10_000;
/** A lock this old counts as stale, so that a login shell that hangs forever does not keep others from trying. */
const longestMs = 60 * 60 * 1000;

/** Two processes that find a lock stale at once may both take it: two shells run, which is harmless. */
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

/** Names the process whose end releases the lock. */
export async function writeCaptureLockOwner(folder: string, key: string, pid: number): Promise<void> {
  const startedAt = await identifyProcess(pid);
  try {
    // Do not create it again: the capture may have ended meanwhile.
    withRegularFile(lockOf(folder, key), { links: 'refused', flags: O_WRONLY }, (file) =>
      fileSystem.writeSync(file, `${pid} ${startedAt ?? ''}`),
    );
  } catch {
    // A lock that names no process soon counts as stale.
  }
}

export function releaseCaptureLock(folder: string, key: string): void {
  try {
    fileSystem.rmSync(lockOf(folder, key), { force: true });
  } catch {
    // The lock becomes invalid when the process that it names ends.
  }
}

const lockOf = (folder: string, key: string): string => join(folder, `${key}.lock`);

function make(path: string): 'taken' | 'exists' | 'unavailable' {
  try {
    withRegularFile(path, { links: 'refused', flags: O_WRONLY | O_CREAT | O_EXCL, mode: 0o600 }, () => undefined);
    return 'taken';
  } catch (error) {
    return errorCode(error) === 'EEXIST' ? 'exists' : 'unavailable';
  }
}

async function heldSince(path: string, now: number): Promise<number | undefined> {
  const lock = readOwnFile(path, { maxBytes: 200, toOthers: 'readable' });
  if (lock === undefined) return undefined;
  const { mtimeMs } = lock.stats;
  const [pid = '', ...words] = lock.bytes.toString('latin1').split(' ');
  if (pid === '') return now - mtimeMs < unsignedMs ? mtimeMs : undefined;
  const isRunning = words.join(' ') === ((await identifyProcess(Number(pid))) ?? '-');
  return isRunning && now - mtimeMs < longestMs ? mtimeMs : undefined;
}

const passedOn = 'HOME USER LOGNAME LANG LC_ALL LC_CTYPE TMPDIR XDG_RUNTIME_DIR XDG_CONFIG_HOME ZDOTDIR'.split(' ');

/** Environment of a fresh login: the answer depends on the start-up files alone, so all callers can share it. */
export function bareEnvironment(env: ShellVariables, { shell, home }: { shell: string; home: string }): ShellVariables {
  const passed = passedOn.flatMap((name): [string, string][] => (env[name] === undefined ? [] : [[name, env[name]]]));
  const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
  return { HOME: home, ...Object.fromEntries(passed), PATH: path, SHELL: shell, TERM: 'dumb' };
}

const ownToShell = new Set(['SHLVL', '_', 'PWD', 'OLDPWD', 'TERM']);
export const isOwnToShell = (name: string): boolean => ownToShell.has(name);
