import { dirname, join } from 'node:path';
import type { Clock } from '../../ports/clock.ts';
import type { Lock, Locks } from '../../ports/files.ts';
import type { Login, LoginStore, NewTokens, ReservedPlace } from '../../ports/login.ts';
import { defined } from '../../protocol/defined.ts';
import { type JsonObject, numberAt, objectAt, parseJsonObject, stringAt } from '../../protocol/json.ts';
import { fileSystem, reasonOf } from '../../disk/file-system.ts';
import { realPath, syncFolder } from '../../disk/folders.ts';
import { readBounded } from '../../disk/read-bounded.ts';
import { readLimits } from '../files/read-limits.ts';

/** Longer than a renewal takes. */
const patienceMs = 45_000;
const lookAgainMs = 100;
/** More than a login has. */
const reservedBytes = 64 * 1024;

/** The login of a home folder, with the means to renew it. */
export function loginStore({ home, ...waiting }: { readonly home: string } & LockWaiting): LoginStore {
  const path = loginPath(home);
  return {
    load: () => loadLogin(home),
    async alone(work, signal) {
      // Homes whose names lead to one file have one lock.
      const lock = await takeLock(`${realPath(path) ?? path}.lock`, waiting, signal);
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

type LockWaiting = { readonly locks: Locks; readonly clock: Clock };

async function takeLock(path: string, { locks, clock }: LockWaiting, signal: AbortSignal): Promise<Lock> {
  for (const end = clock.now() + patienceMs; ;) {
    const lock = await locks.take(path).catch((error: unknown) => {
      throw cannotWrite(path, error);
    });
    if (lock.kind === 'lock') return lock;
    if (signal.aborted) throw new Error('it was stopped');
    if (clock.now() > end) throw new Error('another process is renewing it and takes too long');
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
      if (found.kind !== 'read') throw new Error(found.kind === 'missing' ? 'it disappeared' : found.reason);
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

export const loginPath = (home: string): string => join(home, 'auth.json');

/** The login in the `auth.json` of a home, which Codex writes. Nothing of its content is quoted in a message. */
export function loadLogin(home: string): Login {
  const path = loginPath(home);
  const renew = `Sign in again: CODEX_HOME=${home} codex login`;
  const file = readBounded(path, { maxBytes: readLimits.loginBytes });
  if (file.kind === 'missing') return { kind: 'none' };
  if (file.kind === 'unread') {
    return { kind: 'unusable', message: `The login in ${path} cannot be read: ${file.reason}.`, next: renew };
  }
  const stored = parseJsonObject(file.bytes.toString('utf8'));
  if (stored === undefined) {
    return { kind: 'unusable', message: `The login in ${path} is not a JSON object.`, next: renew };
  }
  return readLogin(stored, renew);
}

/** Where the file does not say which of the two counts, a key goes before tokens. */
function readLogin(stored: JsonObject, renew: string): Login {
  const mode = stringAt(stored, 'auth_mode')?.toLowerCase() ?? '';
  const key = textAt(stored, 'OPENAI_API_KEY');
  const tokens = objectAt(stored, 'tokens') ?? {};
  const accessToken = textAt(tokens, 'access_token');
  if (key !== undefined && !(mode.startsWith('chatgpt') && accessToken !== undefined)) {
    return { kind: 'api-key', key, renew };
  }
  if (accessToken === undefined || mode === 'apikey') return { kind: 'none' };
  const accountId = textAt(tokens, 'account_id');
  const refreshToken = textAt(tokens, 'refresh_token');
  const expiresAt = expiryOf(accessToken);
  const refreshed = Date.parse(stringAt(stored, 'last_refresh') ?? '');
  const renewedAt = Number.isNaN(refreshed) ? undefined : refreshed;
  return { kind: 'chatgpt', accessToken, ...defined({ accountId, refreshToken, expiresAt, renewedAt }), renew };
}

function textAt(holder: JsonObject, key: string): string | undefined {
  const text = stringAt(holder, key)?.trim();
  return text === '' ? undefined : text;
}

/** The time in the middle part of a JSON web token, if it is one. */
function expiryOf(token: string): number | undefined {
  const claims = parseJsonObject(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
  const seconds = claims && numberAt(claims, 'exp');
  return seconds === undefined ? undefined : seconds * 1000;
}
