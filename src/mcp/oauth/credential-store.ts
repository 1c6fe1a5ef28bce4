import { join } from 'node:path';
import { makeOwnFolder, readOwnFile, writeOwnFile } from '../../disk/own-file.ts';
import { type LockWaiting, waitForLock } from '../../disk/wait-for-lock.ts';
import { isJsonObject, type JsonObject, objectAt, parseJsonObject } from '../../protocol/json.ts';
import { plainDigest } from '../../base/digest.ts';

/** What a login to a server left: tokens, and how this program is known there. */
export interface McpCredentials {
  readonly tokens?: JsonObject;
  readonly client?: JsonObject;
}

/** Logins to MCP servers by their address, in one file that only this user can read. */
export interface CredentialStore {
  read(url: string): McpCredentials;
  /** Changes a login, of which `change` gets what is stored now. Rejects where the file cannot be written. */
  change(url: string, change: (stored: McpCredentials) => McpCredentials): Promise<void>;
  /** Whether there was something to remove. */
  remove(url: string): Promise<boolean>;
  /** Works on one login while no other process does: a refresh token works once. */
  alone<Result>(url: string, work: () => Promise<Result>, signal: AbortSignal): Promise<Result>;
}

const mostBytes = 1_000_000;
/** Limit of one login: a server with huge tokens must not make the file too large to be read. */
const mostOfOne = 64_000;

export function credentialStore(home: string, waiting: LockWaiting): CredentialStore {
  const folder = join(home, 'capstan/mcp');
  const path = join(folder, 'credentials.json');
  const all = (): JsonObject => {
    const found = readOwnFile(path, { maxBytes: mostBytes, toOthers: 'closed' });
    return (found && parseJsonObject(found.bytes.toString('utf8'))) ?? {};
  };
  const read = (url: string): McpCredentials => {
    const found = all()[url];
    if (!isJsonObject(found)) return {};
    const [tokens, client] = [objectAt(found, 'tokens'), objectAt(found, 'client')];
    return { ...(tokens && { tokens }), ...(client && { client }) };
  };
  const inLock = async <Result>(
    name: string,
    wanted: { readonly held: string; readonly signal?: AbortSignal },
    work: () => Result | Promise<Result>,
  ): Promise<Result> => {
    if (!makeOwnFolder(folder, 'closed')) throw new Error(`${folder} is not a folder that only you can use`);
    const lock = await waitForLock(join(folder, name), { ...waiting, ...wanted });
    try {
      return await work();
    } finally {
      await lock.release();
    }
  };
  /** All logins are in one file, so one process changes it at a time, whichever login it is about. */
  const save = <Result>(change: (stored: JsonObject) => readonly [JsonObject | undefined, Result]): Promise<Result> =>
    inLock('credentials.json.lock', { held: 'another process is changing the stored logins' }, () => {
      const [next, result] = change(all());
      if (next === undefined) return result;
      const text = `${JSON.stringify(next)}\n`;
      if (Buffer.byteLength(text) > mostBytes) throw new Error(`${path} would be larger than 1 MB`);
      writeOwnFile(path, `${path}.${process.pid}`, text);
      return result;
    });
  return {
    read,
    change: (url, change) =>
      save((stored) => {
        const { tokens, client } = change(read(url));
        const login = { ...(tokens && { tokens }), ...(client && { client }) };
        if (Buffer.byteLength(JSON.stringify(login)) > mostOfOne) throw new Error('the login is larger than 64 KB');
        return [{ ...stored, [url]: login }, undefined];
      }),
    remove: (url) => save(({ [url]: found, ...others }) => (found === undefined ? [undefined, false] : [others, true])),
    alone: (url, work, signal) =>
      inLock(`${plainDigest(url, 16)}.lock`, { held: 'another process is renewing it', signal }, work),
  };
}
