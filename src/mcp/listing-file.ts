import { join } from 'node:path';
import type { McpServerConfig } from '../config/mcp-servers.ts';
import { makeOwnFolder, readOwnFile, writeOwnFile } from '../disk/own-file.ts';
import { arrayAt, isJsonObject, type JsonObject, objectAt, parseJsonObject, stringAt } from '../protocol/json.ts';
import { keyedDigest } from '../protocol/keyed-digest.ts';
import { defined } from '../protocol/defined.ts';
import type { ListedTool, ServerListing } from './listed-tool.ts';

const mostBytes = 8_000_000;

/** What servers listed last, by their configuration: a server that is configured otherwise is another one. */
export interface ListingFiles {
  read(config: McpServerConfig): ServerListing | undefined;
  /** A disk that refuses it costs a wait at the next start, and nothing else. */
  write(config: McpServerConfig, listing: ServerListing): void;
}

export function listingFiles(home: string): ListingFiles {
  const folder = join(home, 'capstan/mcp');
  const pathOf = ({ name, transport }: McpServerConfig): string => {
    const bytes = keyedDigest(new Uint8Array(), JSON.stringify([name, transport]));
    return join(folder, `${Buffer.from(bytes).toString('hex', 0, 16)}.json`);
  };
  return {
    read(config) {
      const found = readOwnFile(pathOf(config), { maxBytes: mostBytes, toOthers: 'closed' });
      return found === undefined ? undefined : readKept(parseJsonObject(found.bytes.toString('utf8')));
    },
    write(config, listing) {
      try {
        if (!makeOwnFolder(folder, 'closed')) return;
        const path = pathOf(config);
        writeOwnFile(path, `${path}.${process.pid}`, JSON.stringify({ server: config.name, ...listing }));
      } catch {
        // The next start waits for the server again.
      }
    },
  };
}

function readKept(kept: JsonObject | undefined): ServerListing | undefined {
  const tools = arrayAt(kept, 'tools');
  if (tools === undefined || typeof kept?.['hasResources'] !== 'boolean') return undefined;
  const read = tools.flatMap((tool): readonly ListedTool[] => {
    if (!isJsonObject(tool)) return [];
    const [name, description] = [stringAt(tool, 'tool'), stringAt(tool, 'description')];
    const [parameters, hints] = [objectAt(tool, 'parameters'), objectAt(tool, 'hints')];
    if (name === undefined || description === undefined || parameters === undefined || hints === undefined) return [];
    return [{ tool: name, description, parameters, hints }];
  });
  if (read.length !== tools.length) return undefined;
  return {
    tools: read,
    hasResources: kept['hasResources'],
    ...defined({ instructions: stringAt(kept, 'instructions') }),
  };
}
