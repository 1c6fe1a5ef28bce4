import { join } from 'node:path';
import { makeOwnFolder, readOwnFile, writeOwnFile } from '../../disk/own-file.ts';
import { isJsonObject, type JsonObject, objectAt, parseJsonObject } from '../../protocol/json.ts';

/** What a login to a server left: tokens, and how this program is known there. */
export interface McpCredentials {
  readonly tokens?: JsonObject;
  readonly client?: JsonObject;
}

/** Logins to MCP servers by their address, in one file that only this user can read. */
export interface CredentialStore {
  read(url: string): McpCredentials;
  /** Rejects where the file cannot be written. */
  write(url: string, credentials: McpCredentials): void;
  /** Whether there was something to remove. */
  remove(url: string): boolean;
}

const mostBytes = 1_000_000;
/** Limit of one login: a server with huge tokens must not make the file too large to be read. */
const mostOfOne = 64_000;

export function credentialStore(home: string): CredentialStore {
  const folder = join(home, 'capstan/mcp');
  const path = join(folder, 'credentials.json');
  const all = (): JsonObject => {
    const found = readOwnFile(path, { maxBytes: mostBytes, toOthers: 'closed' });
    return (found && parseJsonObject(found.bytes.toString('utf8'))) ?? {};
  };
  const save = (next: JsonObject): void => {
    if (!makeOwnFolder(folder, 'closed')) throw new Error(`${folder} is not a folder that only you can use`);
    const text = `${JSON.stringify(next)}\n`;
    if (Buffer.byteLength(text) > mostBytes) throw new Error(`${path} would be larger than 1 MB`);
    writeOwnFile(path, `${path}.${process.pid}`, text);
  };
  return {
    read(url) {
      const found = all()[url];
      if (!isJsonObject(found)) return {};
      const [tokens, client] = [objectAt(found, 'tokens'), objectAt(found, 'client')];
      return { ...(tokens && { tokens }), ...(client && { client }) };
    },
    write(url, { tokens, client }) {
      const login = { ...(tokens && { tokens }), ...(client && { client }) };
      if (Buffer.byteLength(JSON.stringify(login)) > mostOfOne) throw new Error('the login is larger than 64 KB');
      save({ ...all(), [url]: login });
    },
    remove(url) {
      const { [url]: found, ...others } = all();
      if (found !== undefined) save(others);
      return found !== undefined;
    },
  };
}
