import { readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Whether a running Codex says that it mounts on the folder: then removing the folder would end the protection of its
 * command. Codex has its table in the temporary folder, where commands may write, so it is taken as advice: it may keep
 * an empty folder, and nothing is ever removed because of it.
 */
export function isHeldByCodex(folder: string, temporaryDirectories: readonly string[]): boolean {
  return temporaryDirectories.some((temporary) => {
    const table = `codex-bwrap-synthetic-mount-targets-${process.geteuid?.()}`;
    return namesIn(join(realPath(temporary), table, pathHash(folder))).some(
      (name) => /^\d{1,10}$/.test(name) && isAlive(Number(name)),
    );
  });
}

/** FNV-1a with 64 bits, in hexadecimal digits. */
function pathHash(path: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(path)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString(16).padStart(16, '0');
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function isAlive(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
