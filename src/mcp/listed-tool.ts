import type { McpServerConfig } from '../config/mcp-servers.ts';
import type { McpTool, McpToolHints } from '../ports/mcp-servers.ts';
import { isOtherTool, mcpToolDigest } from '../policy/grants.ts';
import { defined } from '../protocol/defined.ts';
import { arrayAt, isJsonObject, type Json, type JsonObject, stringAt } from '../protocol/json.ts';
import { withoutInvisible } from '../base/invisible.ts';
import { cleanSchema } from './clean-schema.ts';
import { mcpToolNames } from './tool-names.ts';

/** A tool as its server lists it, cleaned. This is what is kept on the disk. */
export interface ListedTool {
  readonly tool: string;
  readonly description: string;
  readonly parameters: JsonObject;
  readonly hints: McpToolHints;
}

/** What is known of a server. */
export interface ServerListing {
  readonly tools: readonly ListedTool[];
  /** The server's own words about itself. */
  readonly instructions?: string;
  readonly hasResources: boolean;
}

const mostTools = 512;
const mostNameCharacters = 128;
const mostDescriptionCharacters = 1024;

/** What a server lists, as far as it can be used. What is malformed is left out. */
export function readListing(tools: readonly Json[], about: Omit<ServerListing, 'tools'>): ServerListing {
  const read = tools.slice(0, mostTools).flatMap(readTool);
  const first = new Map(read.toReversed().map((tool) => [tool.tool, tool]));
  const instructions =
    about.instructions === undefined ? undefined : cleanWords(about.instructions, mostDescriptionCharacters);
  return {
    tools: [...first.values()].toSorted((a, b) => (a.tool < b.tool ? -1 : 1)),
    ...defined({ instructions: instructions === '' ? undefined : instructions }),
    hasResources: about.hasResources,
  };
}

function readTool(value: Json): readonly ListedTool[] {
  if (!isJsonObject(value)) return [];
  const tool = stringAt(value, 'name') ?? '';
  if (tool === '' || tool.length > mostNameCharacters || isForApps(value['_meta'])) return [];
  const description = cleanWords(
    stringAt(value, 'description') ?? stringAt(value, 'title') ?? '',
    mostDescriptionCharacters,
  );
  return [{ tool, description, parameters: cleanSchema(value['inputSchema']), hints: hintsOf(value['annotations']) }];
}

/** A tool that only the pages of a server may call. */
function isForApps(meta: Json | undefined): boolean {
  const interfaces = isJsonObject(meta) && isJsonObject(meta['ui']) ? arrayAt(meta['ui'], 'visibility') : undefined;
  return interfaces !== undefined && !interfaces.includes('model');
}

function hintsOf(annotations: Json | undefined): McpToolHints {
  const flag = (name: string): boolean | undefined => {
    const value = isJsonObject(annotations) ? annotations[name] : undefined;
    return typeof value === 'boolean' ? value : undefined;
  };
  return defined({
    readOnly: flag('readOnlyHint'),
    destructive: flag('destructiveHint'),
    idempotent: flag('idempotentHint'),
    openWorld: flag('openWorldHint'),
  });
}

function cleanWords(text: string, most: number): string {
  const characters = [...withoutInvisible(text.replace(/\r\n?/g, '\n')).trim()];
  return characters.length <= most ? characters.join('') : `${characters.slice(0, most - 1).join('')}…`;
}

/** The tools of all servers as a thread may offer them, in a fixed order. */
export function offeredTools(
  servers: readonly { readonly config: McpServerConfig; readonly listing: ServerListing }[],
): readonly McpTool[] {
  const all = servers.flatMap(({ config, listing }) =>
    listing.tools
      .filter(({ tool }) => isEnabled(config, tool))
      .map((listed) => ({ ...listed, server: config.name, config })),
  );
  const names = mcpToolNames(all);
  const taken = new Set<string>();
  return all
    .filter((each) => {
      // A server can find two names with one digest. One of them is lost then, and nothing else.
      const name = names.get(each) ?? '';
      return !taken.has(name) && taken.add(name);
    })
    .map((each): McpTool => {
      const { server, tool, description, parameters, hints, config } = each;
      const name = names.get(each) ?? tool;
      const { isParallel } = config;
      const described = { description, parameters };
      return {
        server,
        tool,
        name,
        spec: { type: 'function', name, description, strict: false, parameters },
        described,
        hints,
        ...approvalOf(config, tool, () => mcpToolDigest({ described, hints })),
        isParallel: isParallel || hints.readOnly === true,
      };
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function approvalOf(
  { approval }: McpServerConfig,
  tool: string,
  digestNow: () => string,
): Pick<McpTool, 'approval' | 'isApprovedAsDescribed' | 'isChanged'> {
  const own = Object.hasOwn(approval.tools, tool) ? approval.tools[tool] : undefined;
  if (own === undefined) return { approval: approval.default };
  if (own.mode !== 'approve' || own.digest === undefined) return { approval: own.mode };
  const now = digestNow();
  if (own.digest === now) return { approval: own.mode, isApprovedAsDescribed: true };
  return { approval: approval.default, ...(isOtherTool(own.digest, now) ? { isChanged: true } : {}) };
}

/** Whether the configuration offers it. */
export function isEnabled({ enabledTools, disabledTools }: McpServerConfig, tool: string): boolean {
  return (enabledTools === undefined || enabledTools.includes(tool)) && !disabledTools.includes(tool);
}
