import { join } from 'node:path';
import type { Seals } from '../../ports/thread-store.ts';
import { errorCode, fileSystem as fs, diskErrorReason, syncFolder } from '../disk/file-system.ts';
import { NotRegularFileError, withRegularFile } from '../disk/regular-files.ts';
import { randomBytes } from 'node:crypto';
import { keyedTextHash } from '../../base/digest.ts';
import { Fault } from '../../protocol/outcome.ts';

/** Commands must not read the key: with it they could forge permissions of a thread. */
export const sealKeyPath = (home: string): string => join(home, 'capstan', 'key');

export function homeSeals(home: string): Seals {
  const path = sealKeyPath(home);
  let sealed: ((claim: string) => string) | undefined;
  let problem: string | undefined;
  function load(missing: 'make' | 'leave'): void {
    if (sealed !== undefined) return;
    try {
      const key = readKey(path) ?? (missing === 'make' ? makeKey(path) : undefined);
      sealed = key === undefined ? undefined : sealer(key);
      problem = undefined;
    } catch (error) {
      problem = `the key file ${path} cannot be used: ${diskErrorReason(error)}`;
    }
  }

  return {
    seal(claim) {
      load('make');
      return sealed?.(claim);
    },
    holds(claim, seal) {
      load('leave');
      return sealed?.(claim) === seal;
    },
    problem() {
      load('leave');
      return problem;
    },
  };
}

/** Undefined if there is none. Throws if it is no regular file, or if others may read it. */
function readKey(path: string): Uint8Array | undefined {
  try {
    return withRegularFile(path, { links: 'refused' }, (file, found) => {
      const us = process.geteuid?.();
      if (found.size !== keyBytes) throw new Error('it is not a key');
      if (us !== undefined && us !== 0 && found.uid !== us) throw new Error('it belongs to another user');
      if ((found.mode & 0o077) !== 0) throw new Error(`other users can read it; run \`chmod 600 ${path}\``);
      const key = new Uint8Array(keyBytes);
      if (fs.readSync(file, key, 0, keyBytes, 0) !== keyBytes) throw new Error('it is not a key');
      return key;
    });
  } catch (error) {
    if (error instanceof NotRegularFileError) throw new Error('it is not a key', { cause: error });
    const code = errorCode(error);
    if (code === 'ENOENT') return undefined;
    throw code === 'ELOOP' ? new Error('it is a link') : error;
  }
}

/** Creates the key atomically; of two processes, both get the one created first. */
function makeKey(path: string): Uint8Array | undefined {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = fs.constants;
  const folder = path.slice(0, path.lastIndexOf('/'));
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}.${randomBytes(8).toString('hex')}.tmp`;
  const file = fs.openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    fs.writeSync(file, randomBytes(keyBytes));
    fs.fsyncSync(file);
    fs.linkSync(temporary, path);
    // If a power cut lost the name, every thread sealed since would count as foreign.
    syncFolder(folder);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  } finally {
    fs.closeSync(file);
    fs.rmSync(temporary, { force: true });
  }
  return readKey(path);
}

const sealBytes = 16;
const longestKnown = 64 * 1024;
/** Length of a home's key, and the minimum for any other. */
const keyBytes = 32;

/** Engines that share a store and this key accept each other's lines. A key under 32 bytes is refused with a Fault. */
export function sealsWithKey(key: Uint8Array): Seals {
  if (key.length < keyBytes) {
    const message = `The key for the seals has ${key.length} bytes; it needs at least ${keyBytes}.`;
    const next = 'Create it once from random bytes, and give it to every engine that uses the store.';
    throw new Fault({ code: 'seal-key-too-short', message, next });
  }
  const seal = sealer(Uint8Array.from(key));
  return { seal, holds: (claim, made) => seal(claim) === made, problem: () => undefined };
}

function sealer(key: Uint8Array): (claim: string) => string {
  /** Cache: the same claim is sealed turn after turn. */
  const known = new Map<string, string>();
  return (claim) => {
    const made = known.get(claim);
    if (made !== undefined) return made;
    if (known.size >= 16) known.clear();
    const seal = keyedTextHash(key, claim).toString('base64url', 0, sealBytes);
    // A message with images may be large, and is sealed once.
    if (claim.length <= longestKnown) known.set(claim, seal);
    return seal;
  };
}
