import { join } from 'node:path';
import { namesIn, realPath } from '../../disk/folders.ts';
import { isAlive } from '../../disk/processes.ts';

/**
 * Whether a running Codex says that it mounts on the folder: then removing the folder would end the protection of its
 * command. Codex has its table in the temporary folder, where commands may write, so it is taken as advice: it may keep
 * an empty folder, and nothing is ever removed because of it.
 */
export function isHeldByCodex(folder: string, temporaryDirectories: readonly string[]): boolean {
  return temporaryDirectories.some((temporary) => {
    const table = `codex-bwrap-synthetic-mount-targets-${process.geteuid?.()}`;
    return namesIn(join(realPath(temporary) ?? temporary, table, pathHash(folder))).some(
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
