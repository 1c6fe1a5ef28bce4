import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

type Variables = Readonly<Record<string, string>>;

/** What a login shell answered, kept for other processes. */
export interface KeptVariables {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly variables: Variables;
}

const mostBytes = 1_000_000;
const sweptAfterMs = 24 * 60 * 60 * 1000;

/** The folder is there, belongs to this user, and no other can write to it. */
export function makePrivateFolder(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const found = lstatSync(folder);
    return found.isDirectory() && isOurs(found) && (found.mode & 0o022) === 0;
  } catch {
    return false;
  }
}

/** Never throws: whatever is not as we would write it counts as missing. */
export function loadKept(folder: string, key: string): KeptVariables | undefined {
  let file: number | undefined;
  try {
    file = openSync(fileOf(folder, key), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const found = fstatSync(file);
    const isSafe = found.isFile() && isOurs(found) && (found.mode & 0o077) === 0 && found.size <= mostBytes;
    return isSafe ? readKept(readFileSync(file, 'utf8')) : undefined;
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Readers see all of it or nothing. Throws what the disk says. */
export function keepVariables(folder: string, key: string, kept: KeptVariables): void {
  const text = JSON.stringify(kept);
  if (Buffer.byteLength(text) > mostBytes) return;
  const temporary = join(folder, `${key}.${process.pid}.tmp`);
  rmSync(temporary, { force: true });
  writeFileSync(temporary, text, { flag: 'wx', mode: 0o600 });
  renameSync(temporary, fileOf(folder, key));
}

/** Removes what earlier start-up files led to, and what was left by processes that were ended. */
export function sweepKept(folder: string, now: number): void {
  for (const name of readdirSync(folder)) {
    if (!/^[0-9a-f]{64}\.(?:json|lock|\d+\.tmp)$/.test(name)) continue;
    const path = join(folder, name);
    const found = statSync(path, { throwIfNoEntry: false });
    if (found !== undefined && now - found.mtimeMs > sweptAfterMs) rmSync(path, { force: true });
  }
}

function fileOf(folder: string, key: string): string {
  return join(folder, `${key}.json`);
}

/** Systems that know no owners give none. */
export function isOurs({ uid }: { readonly uid: number }): boolean {
  return process.getuid === undefined || uid === process.getuid();
}

function readKept(text: string): KeptVariables | undefined {
  const { at, variables } = JSON.parse(text) as { readonly at?: unknown; readonly variables?: unknown };
  if (typeof at !== 'number' || !isVariables(variables)) return undefined;
  return { at, variables };
}

/** Names and values that a process can be started with. */
export function isVariables(value: unknown): value is Variables {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(
    ([name, text]) => name !== '' && !/[=\0]/.test(name) && typeof text === 'string' && !text.includes('\0'),
  );
}
