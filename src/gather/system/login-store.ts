import { dirname } from 'node:path';
import type { Clock } from '../../ports/clock.ts';
import type { Lock, Locks } from '../../ports/files.ts';
import type { LoginStore, NewTokens, ReservedPlace } from '../../ports/login.ts';
import { defined } from '../../protocol/defined.ts';
import { type JsonObject, objectAt, parseJsonObject } from '../../protocol/json.ts';
import { fileSystem, reasonOf } from '../../disk/file-system.ts';
import { realPath, syncFolder } from '../../disk/folders.ts';
import { loadLogin, loginPath } from './login-file.ts';
import { readBounded } from '../../disk/read-bounded.ts';
import { readLimits } from '../files/read-limits.ts';

export interface LoginStoreOptions {
  readonly home: string;
  readonly locks: Locks;
  readonly clock: Clock;
}

/** Longer than a renewal takes. */
const patienceMs = 45_000;
const lookAgainMs = 100;
/** More than a login has. */
const reservedBytes = 64 * 1024;

/** The login of a home folder, with the means to renew it. */
export function loginStore({ home, locks, clock }: LoginStoreOptions): LoginStore {
  const path = loginPath(home);
  return {
    load: () => loadLogin(home),
    async alone(work, signal) {
      // Homes whose names lead to one file have one lock.
      const lock = await takeLock(`${realPath(path) ?? path}.lock`, { locks, clock }, signal);
      try {
        return await work();
      } finally {
        await lock.release();
      }
    },
    reserve() {
      try {
        // Where the name is a link, what it leads to is replaced.
        return reserveBeside(fileSystem.realpathSync(path));
      } catch (error) {
        throw cannotWrite(path, error);
      }
    },
  };
}

async function takeLock(
  path: string,
  { locks, clock }: Pick<LoginStoreOptions, 'locks' | 'clock'>,
  signal: AbortSignal,
): Promise<Lock> {
  for (const end = clock.now() + patienceMs; ;) {
    const lock = await locks.take(path).catch((error: unknown) => {
      throw cannotWrite(path, error);
    });
    if (lock.kind === 'lock') return lock;
    if (signal.aborted) throw new Error('it was stopped');
    if (clock.now() > end) throw new Error('another process has been renewing it for too long');
    await clock.sleep(lookAgainMs, signal);
  }
}

/** A file that is as large as needed already: a full disk is found out now. It takes the other's name when it is written. */
function reserveBeside(path: string): ReservedPlace {
  fileSystem.accessSync(path, fileSystem.constants.W_OK);
  const temporary = `${path}.tmp`;
  // Left by a process that was ended, or put there by another program: the tokens must not get its mode, or go where it
  // leads.
  if (fileSystem.lstatSync(temporary, { throwIfNoEntry: false }) !== undefined) fileSystem.unlinkSync(temporary);
  const file = fileSystem.openSync(temporary, 'wx', 0o600);
  const discard = (): void => {
    fileSystem.closeSync(file);
    fileSystem.rmSync(temporary, { force: true });
  };
  try {
    fileSystem.writeSync(file, Buffer.alloc(reservedBytes, ' '));
    fileSystem.fsyncSync(file);
  } catch (error) {
    discard();
    throw error;
  }
  return {
    keep(tokens, at) {
      const found = readBounded(path, { maxBytes: readLimits.loginBytes });
      if (found.kind !== 'read') throw new Error(found.kind === 'missing' ? 'it went away' : found.reason);
      const stored = parseJsonObject(found.bytes.toString('utf8')) ?? {};
      const bytes = Buffer.from(`${JSON.stringify(withTokens(stored, tokens, at), undefined, 2)}\n`);
      fileSystem.writeSync(file, bytes, 0, bytes.length, 0);
      fileSystem.ftruncateSync(file, bytes.length);
      fileSystem.fsyncSync(file);
      try {
        fileSystem.renameSync(temporary, path);
        syncFolder(dirname(path));
      } catch {
        // A file that is mounted by itself, as in a container, cannot be replaced. It can be written.
        fileSystem.writeFileSync(path, bytes, { flush: true });
      }
      discard();
    },
    discard,
  };
}

function withTokens(stored: JsonObject, { accessToken, refreshToken, idToken }: NewTokens, at: number): JsonObject {
  return {
    ...stored,
    tokens: {
      ...objectAt(stored, 'tokens'),
      ...defined({ id_token: idToken, access_token: accessToken, refresh_token: refreshToken }),
    },
    last_refresh: new Date(at).toISOString(),
  };
}

function cannotWrite(path: string, error: unknown): Error {
  return new Error(`${path} cannot be written: ${reasonOf(error)}`, { cause: error });
}
