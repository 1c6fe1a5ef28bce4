import { type CredentialStoreName, type LoginLimits, loginRefusal } from '../../core/policy/requirements.ts';
import type { StoredLogin, LoginStore } from '../../ports/login.ts';
import type { ProgramFinder } from '../../ports/system.ts';
import type { EnvironmentVariables } from '../../protocol/shell.ts';
import { workUnderLock, type LockWaiting } from '../disk/wait-for-lock.ts';
import { loginFileStorage, loginLockPath, parseLogin, signInAdvice } from './login-file.ts';
import type { LoginLookup, LoginStorage } from './login-file.ts';

export interface LoginStoreOptions extends LockWaiting {
  readonly home: string;
  readonly env: EnvironmentVariables;
  /** `cli_auth_credentials_store`. */
  readonly kept: CredentialStoreName;
  readonly limits: LoginLimits;
  readonly programs: ProgramFinder;
  readonly programFolder: () => string;
}

/** The login of a home folder, with the means to renew it. A token in the environment wins over the stored login. */
export function loginStore(options: LoginStoreOptions): LoginStore {
  const { home, env, limits, ...waiting } = options;
  const place = placeOf(options);
  return {
    async load() {
      return withinLimits(accessTokenIn(env) ?? asLogin(await (await place()).read(), home), limits);
    },
    alone: (work, signal) =>
      workUnderLock(loginLockPath(home), { ...waiting, held: 'another process is renewing it', signal }, work),
    reserve: async () => (await place()).reserve(),
    unkept: async () => (await place()).closed,
    async save(document) {
      const chosen = await place();
      await chosen.write(document);
      return chosen.name;
    },
    forget: async () => (await place()).remove(),
  };
}

const variable = 'CODEX_ACCESS_TOKEN';

function accessTokenIn(env: EnvironmentVariables): StoredLogin | undefined {
  const token = env[variable]?.trim() ?? '';
  return token === '' ? undefined : readAccessToken(token, `Check the token in ${variable}, or unset it.`, variable);
}

/** Tokens of another form belong to agents, which sign every request; those are not supported. */
export function readAccessToken(
  token: string,
  renew: string,
  where: string,
): Extract<StoredLogin, { kind: 'access-token' | 'unusable' }> {
  if (/^at-[\x21-\x7e]+$/.test(token)) return { kind: 'access-token', token, renew };
  const message = `${where} holds no personal access token: those begin with "at-".`;
  return { kind: 'unusable', message, next: renew };
}

function asLogin(found: LoginLookup, home: string): StoredLogin {
  if (found.kind === 'found') return parseLogin(found.document, signInAdvice(home));
  return found.kind === 'none' ? found : { ...found, kind: 'unusable' };
}

function withinLimits(login: StoredLogin, limits: LoginLimits): StoredLogin {
  if (login.kind === 'none' || login.kind === 'unusable') return login;
  const accountId = login.kind === 'chatgpt' ? login.accountId : undefined;
  const refused = loginRefusal({ method: login.kind === 'api-key' ? 'api' : 'chatgpt', accountId }, limits);
  return refused === undefined ? login : { kind: 'unusable', message: refused.message, next: refused.next };
}

function placeOf({ home, kept, env, programs, programFolder }: LoginStoreOptions): () => Promise<LoginStorage> {
  const file = loginFileStorage(home);
  if (kept === 'file') return () => Promise.resolve(file);
  if (kept === 'ephemeral') return () => Promise.resolve(noPlace);
  let chosen: Promise<LoginStorage> | undefined;
  // Loaded on use: few users keep logins there.
  return () =>
    (chosen ??= import('./login-keyring.ts').then(({ keyringTool, loginKeyringStorage: loginKeyring }) => {
      const tool = keyringTool(process.platform, (name) => programs.find(name));
      if (tool === undefined) return kept === 'auto' ? file : withoutKeyring;
      const keyring = loginKeyring({ home, tool, env, cwd: programFolder() });
      return { ...(kept === 'auto' ? eitherPlace(keyring, file) : keyring), write: inKeyring(keyring, file, kept) };
    }));
}

/** Removes the file's login once the keyring has it. */
function inKeyring(keyring: LoginStorage, file: LoginStorage, kept: CredentialStoreName): LoginStorage['write'] {
  return async (document) => {
    try {
      await keyring.write(document);
    } catch (error) {
      if (kept !== 'auto') throw error;
      return file.write(document);
    }
    await file.remove();
  };
}

function eitherPlace(keyring: LoginStorage, file: LoginStorage): LoginStorage {
  const holder = async (): Promise<LoginStorage> => ((await keyring.read()).kind === 'found' ? keyring : file);
  return {
    name: `${keyring.name}, or ${file.name}`,
    read: async () => (await holder()).read(),
    write: (document) => keyring.write(document),
    async remove() {
      const wasThere = await keyring.remove().catch(() => false);
      return (await file.remove()) || wasThere;
    },
    reserve: async () => (await holder()).reserve(),
  };
}

/** Writes and reserves nothing: `closed` says why. */
function closedStorage(name: string, closed: string, lookup: LoginLookup): LoginStorage {
  const rejected = () => Promise.reject(new Error(closed));
  return { name, closed, read: () => Promise.resolve(lookup), write: rejected, remove: rejected, reserve: rejected };
}

const noPlace: LoginStorage = {
  ...closedStorage('nowhere', 'cli_auth_credentials_store is "ephemeral", so no login is kept', { kind: 'none' }),
  remove: () => Promise.resolve(false),
};
const noTool = 'cli_auth_credentials_store is "keyring", and no program for a keyring was found';
const withoutKeyring = closedStorage('the keyring of this system', noTool, {
  kind: 'unread',
  message: `${noTool}.`,
  next: 'On Linux, install secret-tool (libsecret-tools). Or set cli_auth_credentials_store = "file".',
});
