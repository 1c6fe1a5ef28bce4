import { join } from 'node:path';
import type { McpServerConfig } from '../../core/config/servers/mcp-servers.ts';
import { fileSystem } from '../disk/file-system.ts';
import { makeOwnFolder, readOwnFile, writeOwnFile } from '../disk/own-files.ts';
import { arrayAt, isJsonObject, type JsonObject, objectAt, parseJsonObject, stringAt } from '../../protocol/json.ts';
import { textHash } from '../../base/digest.ts';
import { ifAllDefined } from '../../base/objects.ts';
import type { ListedTool, ServerListing } from './listed-tools.ts';

const mostBytes = 8_000_000;
/** Increase it when cleaning changes, so that listings stored before are ignored. */
const form = 2;
export type ListingFiles = ReturnType<typeof listingFiles>;
/** `isQuick`: failed so quickly that the next process may wait for it again. */
export type StartFailure = { readonly why: string; readonly isQuick: boolean };

/** The last listings of servers, keyed by name and transport: with another transport it is another server. */
export function listingFiles(home: string) {
  const folder = join(home, 'capstan/mcp');
  const pathOf = ({ name, transport }: McpServerConfig): string =>
    join(folder, `${textHash(JSON.stringify([form, name, transport]), 16)}.json`);
  const failurePath = (config: McpServerConfig): string => pathOf(config).replace(/json$/, 'failed.json');
  const readKept = (path: string, maxBytes: number): JsonObject | undefined =>
    parseJsonObject(readOwnFile(path, { maxBytes, toOthers: 'closed' })?.bytes.toString('utf8') ?? '');
  const forgetFailure = (config: McpServerConfig): void => {
    try {
      fileSystem.rmSync(failurePath(config), { force: true });
    } catch {
      // The failure stays recorded: the next start does not wait for the server.
    }
  };
  const keep = (path: string, value: object): void => {
    try {
      if (makeOwnFolder(folder, 'closed')) writeOwnFile(path, `${path}.${process.pid}`, JSON.stringify(value));
    } catch {
      // If the disk refuses, only a wait at the next start is lost.
    }
  };
  return {
    read: (config: McpServerConfig) => keptListing(readKept(pathOf(config), mostBytes)),
    write(config: McpServerConfig, listing: ServerListing): void {
      keep(pathOf(config), { server: config.name, ...listing });
      forgetFailure(config);
    },
    /** Why the last start failed. Undefined if it did not, was not tried, or had another time limit than now. */
    failure(config: McpServerConfig): StartFailure | undefined {
      const kept = readKept(failurePath(config), 10_000);
      // With another time limit the server may start.
      const why = kept?.['startupTimeoutMs'] === config.startupTimeoutMs ? stringAt(kept, 'why') : undefined;
      return why === undefined ? undefined : { why, isQuick: kept?.['isQuick'] === true };
    },
    writeFailure(config: McpServerConfig, failure: StartFailure): void {
      const { name: server, startupTimeoutMs } = config;
      keep(failurePath(config), { server, startupTimeoutMs, ...failure });
    },
    forgetFailure,
  };
}

function keptListing(kept: JsonObject | undefined): ServerListing | undefined {
  const tools = arrayAt(kept, 'tools');
  if (tools === undefined || typeof kept?.['hasResources'] !== 'boolean') return undefined;
  const read = tools.flatMap((tool): readonly ListedTool[] => {
    if (!isJsonObject(tool)) return [];
    const texts = { tool: stringAt(tool, 'tool'), description: stringAt(tool, 'description') };
    const known = ifAllDefined({ ...texts, parameters: objectAt(tool, 'parameters'), hints: objectAt(tool, 'hints') });
    return known === undefined ? [] : [known];
  });
  if (read.length !== tools.length) return undefined;
  return { tools: read, hasResources: kept['hasResources'], instructions: stringAt(kept, 'instructions') };
}
