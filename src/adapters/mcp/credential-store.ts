import { textHash } from '../../base/digest.ts';
import type { McpServerConfig } from '../../core/config/servers/mcp-servers.ts';
import {
  addressSecrets,
  hideValues,
  repeatedSecretForms,
  secretsAmong,
  urlForMessage,
} from '../../core/policy/secrets.ts';
import { type JsonObject, objectAt, parseJsonObject } from '../../protocol/json.ts';
import type { EnvironmentVariables } from '../../protocol/shell.ts';
import { makeOwnFolder, readOwnFile, writeOwnFile } from '../disk/own-files.ts';
import { workUnderLock, type LockWaiting } from '../disk/wait-for-lock.ts';
import { join } from 'node:path';

export type McpCredentials = { readonly tokens?: JsonObject; readonly client?: JsonObject };
export type CredentialStore = ReturnType<typeof credentialStore>;
const mostBytes = 1_000_000;
/** Limit of one login: huge tokens must not make the file too large to read. */
const mostOfOne = 64_000;

/** Logins to MCP servers by address, in one file that only this user can read. */
export function credentialStore(home: string, waiting: LockWaiting) {
  const folder = join(home, 'capstan/mcp');
  const path = join(folder, 'credentials.json');
  const all = (): JsonObject => {
    const found = readOwnFile(path, { maxBytes: mostBytes, toOthers: 'closed' });
    return (found && parseJsonObject(found.bytes.toString('utf8'))) ?? {};
  };
  const read = (url: string): McpCredentials => {
    const found = objectAt(all(), url);
    return { tokens: objectAt(found, 'tokens'), client: objectAt(found, 'client') };
  };
  const inOwnFolder = async <Result>(
    name: string,
    wanted: { readonly held: string; readonly signal?: AbortSignal },
    work: () => Result | Promise<Result>,
  ): Promise<Result> => {
    if (!makeOwnFolder(folder, 'closed')) throw new Error(`${folder} is not a folder that only you can use`);
    return workUnderLock(join(folder, name), { ...waiting, ...wanted }, work);
  };
  /** All logins share a file, so only one process may change it at a time. */
  const save = <Result>(change: (stored: JsonObject) => readonly [JsonObject | undefined, Result]): Promise<Result> =>
    inOwnFolder('credentials.json.lock', { held: 'another process is changing the stored logins' }, () => {
      const [next, result] = change(all());
      if (next === undefined) return result;
      const text = `${JSON.stringify(next)}\n`;
      if (Buffer.byteLength(text) > mostBytes) throw new Error(`${path} would be larger than 1 MB`);
      writeOwnFile(path, `${path}.${process.pid}`, text);
      return result;
    });
  return {
    read,
    /** Changes a login; `change` gets what is stored now. Rejects if the file cannot be written. */
    change: (url: string, change: (stored: McpCredentials) => McpCredentials): Promise<void> =>
      save((stored) => {
        const { tokens, client } = change(read(url));
        const login = { tokens, client };
        if (Buffer.byteLength(JSON.stringify(login)) > mostOfOne) throw new Error('the login is larger than 64 KB');
        return [{ ...stored, [url]: login }, undefined];
      }),
    /** Resolves to whether there was something to remove. */
    remove: (url: string): Promise<boolean> =>
      save(({ [url]: found, ...others }) => (found === undefined ? [undefined, false] : [others, true])),
    /** Excludes other processes from one login, because a refresh token works only once. */
    alone: <Result>(url: string, work: () => Promise<Result>, signal: AbortSignal): Promise<Result> =>
      inOwnFolder(`${textHash(url, 16)}.lock`, { held: 'another process is renewing it', signal }, work),
  };
}

export type ServerSecrets = { readonly env: EnvironmentVariables; readonly credentials?: McpCredentials };

/** Removes a server's secrets from texts and errors: servers and libraries repeat addresses, headers and variables. */
export function serverSecretHider({ transport }: McpServerConfig, given: ServerSecrets): (text: string) => string {
  if (transport.kind === 'program') {
    const passed = transport.passed.map((name) => [name, given.env[name] ?? ''] as const);
    const secrets = repeatedSecretForms(secretsAmong({ ...Object.fromEntries(passed), ...transport.env }));
    return (text) => hideValues(text, secrets);
  }
  const { url, headers, headerVariables, bearerTokenVariable: token = '', oauth } = transport;
  const valueOf = (name: string): string => given.env[name]?.trim() ?? '';
  const secrets = repeatedSecretForms([
    ...addressSecrets(url),
    ...secretsAmong(headers),
    ...secretsAmong(Object.fromEntries(Object.entries(headerVariables).map(([to, name]) => [to, valueOf(name)]))),
    ...[token, oauth.clientSecretVariable ?? ''].map(valueOf),
    ...loginSecrets(given.credentials ?? {}),
  ]);
  const { href } = new URL(url);
  const spelled = [url, href, href.replace(/\/$/, '')];
  const withoutAddress = (text: string): string =>
    spelled.reduce((words, each) => words.replaceAll(each, urlForMessage(each)), text);
  return (text) => hideValues(withoutAddress(text), secrets);
}

export function loginSecrets({ tokens = {}, client = {} }: McpCredentials): readonly string[] {
  const login = [tokens['access_token'], tokens['refresh_token'], tokens['id_token'], client['client_secret']];
  return login.filter((value) => typeof value === 'string');
}
