import { join } from 'node:path';
import { fileSystem } from '../../disk/file-system.ts';
import { readOwnFile, writeOwnFile } from '../../disk/own-file.ts';
import { isJsonObject, parseJsonObject } from '../../protocol/json.ts';

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
export function loadKept(folder: string, key: string): KeptVariables | undefined {
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
export function sweepKept(folder: string, now: number): void {
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
