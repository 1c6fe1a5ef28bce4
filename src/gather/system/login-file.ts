import { dirname, join } from 'node:path';
import type { ReservedPlace } from '../../ports/login.ts';
import { type JsonObject, parseJsonObject } from '../../protocol/json.ts';
import { fileSystem, isMissing, reasonOf } from '../../disk/file-system.ts';
import { realPath, syncFolder } from '../../disk/folders.ts';
import { readBounded } from '../../disk/read-bounded.ts';
import { readLimits } from '../files/read-limits.ts';
import { loginKeys, withTokens } from './login-document.ts';
import type { FoundLogin, LoginPlace } from './login-place.ts';

/** More than a login has. */
const reservedBytes = 64 * 1024;

export const loginPath = (home: string): string => join(home, 'auth.json');

/** What the user can do when a login cannot be used. */
export function signInAgain(home: string): string {
  return `Sign in again: CAPSTAN_HOME=${home} capstan login`;
}

/** `auth.json` of a home. Where the name is a link to a login, or to an empty file for one, that is replaced. */
export function loginFile(home: string): LoginPlace {
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

/** Beside the login: homes whose names lead to one file have one lock. */
export function loginLock(home: string): string {
  const path = loginPath(home);
  try {
    return `${placeOfLogin(path)}.lock`;
  } catch {
    return `${path}.lock`;
  }
}

/** Where a link leads, if a login is there. Anything else is not ours to replace or to delete. */
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

/** Nothing of the content is quoted in a message. */
export function readLoginFile(home: string): FoundLogin {
  const path = loginPath(home);
  const next = signInAgain(home);
  const file = readBounded(path, { maxBytes: readLimits.loginBytes });
  if (file.kind === 'missing') return { kind: 'none' };
  if (file.kind === 'unread') {
    return { kind: 'unread', message: `The login in ${path} cannot be read: ${file.reason}.`, next };
  }
  const document = parseJsonObject(file.bytes.toString('utf8'));
  if (document !== undefined) return { kind: 'found', document };
  return { kind: 'unread', message: `The login in ${path} is not a JSON object.`, next };
}

interface OpenPlace {
  /** The file takes the other's name when it is written. */
  write(document: JsonObject): void;
  discard(): void;
}

function openBeside(path: string): OpenPlace & { readonly file: number } {
  const temporary = `${path}.tmp`;
  // Left by a process that was ended, or put there by another program: the tokens must not get its mode, or go where it
  // leads.
  if (fileSystem.lstatSync(temporary, { throwIfNoEntry: false }) !== undefined) fileSystem.unlinkSync(temporary);
  const file = fileSystem.openSync(temporary, 'wx', 0o600);
  let isOpen = true;
  return {
    file,
    write(document) {
      const bytes = Buffer.from(`${JSON.stringify(document, undefined, 2)}\n`);
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
    },
    discard() {
      if (isOpen) fileSystem.closeSync(file);
      isOpen = false;
      fileSystem.rmSync(temporary, { force: true });
    },
  };
}

/** A file that is as large as needed already: a full disk is found out now. */
function reserveBeside(path: string): ReservedPlace {
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
      const stored = parseJsonObject(found.bytes.toString('utf8')) ?? {};
      place.write(withTokens(stored, tokens, at));
      place.discard();
    },
    discard: () => place.discard(),
  };
}

function cannotWrite(path: string, error: unknown): Error {
  return new Error(`${path} cannot be written: ${reasonOf(error)}`, { cause: error });
}
