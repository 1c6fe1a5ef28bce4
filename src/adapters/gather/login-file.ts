import { defined, valueOr } from '../../base/objects.ts';
import type { StoredLogin, NewTokens, TokenReservation } from '../../ports/login.ts';
import { type JsonObject, numberAt, objectAt, parseJsonObject, stringAt, trueAt } from '../../protocol/json.ts';
import { fileSystem, isMissing, realPath, diskErrorReason, syncFolder } from '../disk/file-system.ts';
import { readBounded } from '../disk/regular-files.ts';
import { readLimits } from './files/read-guard.ts';
import { dirname, join } from 'node:path';

const reservedBytes = 64 * 1024;
export const loginPath = (home: string): string => join(home, 'auth.json');
export const signInAdvice = (home: string): string => `Sign in again: CAPSTAN_HOME=${home} capstan login`;

/** `auth.json` of a home. If it is a link to a login, or to an empty file meant for one, the target is replaced. */
export function loginFileStorage(home: string): LoginStorage {
  const path = loginPath(home);
  return {
    name: path,
    read: () => Promise.resolve(readLoginFile(home)),
    async write(document) {
      try {
        fileSystem.mkdirSync(home, { recursive: true, mode: 0o700 });
        const place = openBeside(placeOfLogin(path));
        try {
          place.write(document);
        } finally {
          place.discard();
        }
      } catch (error) {
        throw cannotWrite(path, error);
      }
    },
    async remove() {
      try {
        fileSystem.unlinkSync(placeOfLogin(path));
        return true;
      } catch (error) {
        if (isMissing(error)) return false;
        throw cannotWrite(path, error);
      }
    },
    async reserve() {
      try {
        fileSystem.accessSync(path);
        return reserveBeside(placeOfLogin(path));
      } catch (error) {
        throw cannotWrite(path, error);
      }
    },
  };
}

/** The lock is next to the login's real file, so that homes whose links lead to one login share it. */
export function loginLockPath(home: string): string {
  const path = loginPath(home);
  return valueOr(`${path}.lock`, () => `${placeOfLogin(path)}.lock`);
}

/** Resolves the link only if a login is there. Anything else is not ours to replace or delete. */
function placeOfLogin(path: string): string {
  const place = realPath(path) ?? path;
  if (fileSystem.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true || place === path) return place;
  const file = readBounded(place, { maxBytes: readLimits.loginBytes });
  const text = file.kind === 'read' ? file.bytes.toString('utf8').trim() : undefined;
  if (file.kind === 'missing' || text === '' || (text !== undefined && isLoginDocument(text))) return place;
  throw new Error(`it is a link to ${place}, which holds no login. Remove the link`);
}

function isLoginDocument(text: string): boolean {
  const keys = Object.keys(parseJsonObject(text) ?? { odd: true });
  return keys.length === 0 || keys.some((key) => loginKeys.includes(key));
}

/** Messages quote nothing of the content. */
export function readLoginFile(home: string): LoginLookup {
  const path = loginPath(home);
  const next = signInAdvice(home);
  const file = readBounded(path, { maxBytes: readLimits.loginBytes });
  if (file.kind === 'missing') return { kind: 'none' };
  if (file.kind === 'unread')
    return { kind: 'unread', message: `The login in ${path} cannot be read: ${file.reason}.`, next };
  const document = parseJsonObject(file.bytes.toString('utf8'));
  if (document !== undefined) return { kind: 'found', document };
  return { kind: 'unread', message: `The login in ${path} is not a JSON object.`, next };
}

function openBeside(path: string) {
  const temporary = `${path}.tmp`;
  // Left by a killed process or put there by another program: the tokens must not get its mode or follow its link.
  if (fileSystem.lstatSync(temporary, { throwIfNoEntry: false }) !== undefined) fileSystem.unlinkSync(temporary);
  const file = fileSystem.openSync(temporary, 'wx', 0o600);
  let isOpen = true;
  return {
    file,
    /** Renames the file into place. */
    write(document: JsonObject): void {
      const bytes = Buffer.from(`${JSON.stringify(document, undefined, 2)}\n`);
      fileSystem.writeSync(file, bytes, 0, bytes.length, 0);
      fileSystem.ftruncateSync(file, bytes.length);
      fileSystem.fsyncSync(file);
      try {
        fileSystem.renameSync(temporary, path);
        syncFolder(dirname(path));
      } catch {
        // A bind-mounted file, as in a container, can be written but not replaced.
        fileSystem.writeFileSync(path, bytes, { flush: true });
      }
    },
    discard(): void {
      if (isOpen) fileSystem.closeSync(file);
      isOpen = false;
      fileSystem.rmSync(temporary, { force: true });
    },
  };
}

/** Allocates the full size now, so that a full disk is noticed before tokens are spent. */
function reserveBeside(path: string): TokenReservation {
  fileSystem.accessSync(path, fileSystem.constants.W_OK);
  const place = openBeside(path);
  try {
    fileSystem.writeSync(place.file, Buffer.alloc(reservedBytes, ' '));
    fileSystem.fsyncSync(place.file);
  } catch (error) {
    place.discard();
    throw error;
  }
  return {
    async keep(tokens, at) {
      const found = readBounded(path, { maxBytes: readLimits.loginBytes });
      if (found.kind !== 'read') throw new Error(found.kind === 'missing' ? 'it disappeared' : found.reason);
      place.write(documentWithTokens(parseJsonObject(found.bytes.toString('utf8')) ?? {}, tokens, at));
      place.discard();
    },
    discard: () => place.discard(),
  };
}

const cannotWrite = (path: string, error: unknown): Error =>
  new Error(`${path} cannot be written: ${diskErrorReason(error)}`, { cause: error });

// The content of `auth.json`, or of the keyring entry that replaces it. Codex reads and writes the same format.

/** A login document has at least one of these. */
const loginKeys: readonly string[] = ['auth_mode', 'OPENAI_API_KEY', 'tokens', 'personal_access_token'];

/** Reads the login from the document. If it does not say which counts, a key wins over tokens. */
export function parseLogin(stored: JsonObject, renew: string): StoredLogin {
  const mode = stringAt(stored, 'auth_mode')?.toLowerCase() ?? '';
  const key = textAt(stored, 'OPENAI_API_KEY');
  const tokens = objectAt(stored, 'tokens') ?? {};
  const accessToken = textAt(tokens, 'access_token');
  if (key !== undefined && !(mode.startsWith('chatgpt') && accessToken !== undefined))
    return { kind: 'api-key', key, renew };
  if (accessToken === undefined || mode === 'apikey') {
    const token = textAt(stored, 'personal_access_token');
    return token === undefined ? { kind: 'none' } : { kind: 'access-token', token, renew };
  }
  const account = accountFromIdToken(textAt(tokens, 'id_token') ?? '');
  const accountId = textAt(tokens, 'account_id') ?? account.accountId;
  const refreshToken = textAt(tokens, 'refresh_token');
  const refreshed = Date.parse(stringAt(stored, 'last_refresh') ?? '');
  const times = { expiresAt: expiryOf(accessToken), renewedAt: Number.isNaN(refreshed) ? undefined : refreshed };
  return { kind: 'chatgpt', accessToken, ...account, ...defined({ accountId, refreshToken, ...times }), renew };
}

export const keyDocument = (key: string): JsonObject => ({ auth_mode: 'apikey', OPENAI_API_KEY: key });

export function accessTokenDocument(token: string): JsonObject {
  return { OPENAI_API_KEY: null, personal_access_token: token };
}

export function accountDocument(tokens: Required<NewTokens>, at: number): JsonObject {
  const { accountId } = accountFromIdToken(tokens.idToken);
  const stored = { auth_mode: 'chatgpt', OPENAI_API_KEY: null, tokens: defined({ account_id: accountId }) };
  return documentWithTokens(stored, tokens, at);
}

export function documentWithTokens(stored: JsonObject, given: NewTokens, at: number): JsonObject {
  const { accessToken: access_token, refreshToken: refresh_token, idToken: id_token } = given;
  const tokens = { ...objectAt(stored, 'tokens'), ...defined({ id_token, access_token, refresh_token }) };
  return { ...stored, tokens, last_refresh: new Date(at).toISOString() };
}

export function accountFromIdToken(idToken: string) {
  const claims = claimsOf(idToken) ?? {};
  const auth = objectAt(claims, 'https://api.openai.com/auth') ?? {};
  const profile = objectAt(claims, 'https://api.openai.com/profile') ?? {};
  return defined({
    accountId: textAt(auth, 'chatgpt_account_id'),
    email: textAt(claims, 'email') ?? textAt(profile, 'email'),
    plan: textAt(auth, 'chatgpt_plan_type'),
    isFedramp: trueAt(auth, 'chatgpt_account_is_fedramp'),
  });
}

function textAt(holder: JsonObject, key: string): string | undefined {
  const text = stringAt(holder, key)?.trim();
  return text === '' ? undefined : text;
}

function expiryOf(token: string): number | undefined {
  const claims = claimsOf(token);
  const seconds = claims && numberAt(claims, 'exp');
  return seconds === undefined ? undefined : seconds * 1000;
}

/** The payload of a JSON web token, if it is one. The signature is not checked: the token came from its issuer. */
const claimsOf = (token: string): JsonObject | undefined =>
  parseJsonObject(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));

/** `message` and `next` quote nothing of the content. */
export type LoginLookup =
  | { readonly kind: 'found'; readonly document: JsonObject }
  | { readonly kind: 'none' }
  | { readonly kind: 'unread'; readonly message: string; readonly next: string };

/** Holds at most one login: a file, or a keyring entry. Failures reject with an error worded for users. */
export interface LoginStorage {
  readonly name: string;
  /** Why nothing can be written at all. Absent: it may work. */
  readonly closed?: string;
  read(): Promise<LoginLookup>;
  write(document: JsonObject): Promise<void>;
  /** Resolves to whether there was something to remove. */
  remove(): Promise<boolean>;
  reserve(): Promise<TokenReservation>;
}
