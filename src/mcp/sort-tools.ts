import type { McpServerConfig } from '../config/mcp-servers.ts';
import { sentTokens } from '../fragments/text/truncate.ts';
import { directGroups } from '../planes/direct-groups.ts';
import type { McpTool } from '../ports/mcp-servers.ts';
import type { ToolSpec } from '../ports/prompt.ts';
import { equalJson } from '../protocol/json.ts';
import { isEnabled, offeredTools, type ServerListing } from './listed-tool.ts';
import { serverPrefix } from './tool-names.ts';

/** The tools of a thread's servers, by how the model reaches them. */
export interface ThreadTools {
  /** In the list of tools of every request, described as the model read it first. */
  readonly direct: readonly McpTool[];
  /** Found by searching, and called by name. */
  readonly deferred: readonly McpTool[];
  /** Direct tools that their servers describe anew, so described. */
  readonly changed: readonly McpTool[];
  /** In the list of tools, though their servers do not list them now. */
  readonly missing: readonly MissingTool[];
  readonly hasResources: boolean;
}

/** A tool that stays in the list only because taking it away would cost the cached prefix. */
export interface MissingTool {
  readonly server: string;
  readonly name: string;
  readonly spec: ToolSpec;
}

/** The tool whose presence says that resources are offered. */
const resourcesMark = 'list_mcp_resources';

export interface ToolsToSort {
  readonly servers: readonly { readonly config: McpServerConfig; readonly listing: ServerListing | undefined }[];
  /** What the last request had, by name. Absent: nothing holds the list yet. */
  readonly held: ReadonlyMap<string, ToolSpec> | undefined;
  /** What direct tools may weigh, in tokens. */
  readonly budget: number;
}

/** What a tool weighs in the list of tools. */
export function specTokens(spec: ToolSpec): number {
  return sentTokens(JSON.stringify(spec));
}

/** What a list of tools holds until history is rewritten. */
export function heldSpecs({ direct, hasResources }: ThreadTools): readonly ToolSpec[] {
  const marked = hasResources ? [{ type: 'function', name: resourcesMark }] : [];
  return [...direct.map(({ spec }) => spec), ...marked];
}

export function sortTools({ servers, held, budget }: ToolsToSort): ThreadTools {
  const known = servers.flatMap(({ config, listing }) => (listing === undefined ? [] : [{ config, listing }]));
  const all = offeredTools(known);
  const isOmitted = ({ server }: McpTool, from: string): boolean =>
    servers.find(({ config }) => config.name === server)?.config.omitFrom.includes(from) === true;
  const mayDefer = (tool: McpTool): boolean => !isOmitted(tool, 'deferred');
  if (held !== undefined) {
    // The text that the model has read stays as it was, also where the server describes it anew.
    const direct = all.flatMap((tool) => {
      const spec = held.get(tool.name);
      return spec === undefined ? [] : [{ ...tool, spec }];
    });
    return {
      direct,
      deferred: all.filter((tool) => !held.has(tool.name) && mayDefer(tool)),
      changed: all.filter(({ name, spec }) => held.has(name) && !equalJson(held.get(name) ?? {}, spec)),
      missing: missingTools(held, new Set(all.map(({ name }) => name)), servers),
      hasResources: held.has(resourcesMark),
    };
  }
  const groups = known.map(({ config: { name } }) => {
    const own = all.filter(({ server }) => server === name);
    return { name, tokens: own.reduce((sum, { spec }) => sum + specTokens(spec), 0) };
  });
  const fitting = directGroups(groups, budget);
  const isDirect = (tool: McpTool): boolean => fitting.has(tool.server) && !isOmitted(tool, 'direct');
  return {
    direct: all.filter(isDirect),
    deferred: all.filter((tool) => !isDirect(tool) && mayDefer(tool)),
    changed: [],
    missing: [],
    hasResources: known.some(({ listing }) => listing.hasResources),
  };
}

/** Those of servers that are still configured: a server or a tool that the user took away is gone at once. */
function missingTools(
  held: ReadonlyMap<string, ToolSpec>,
  listed: ReadonlySet<string>,
  servers: ToolsToSort['servers'],
): readonly MissingTool[] {
  return [...held].flatMap(([name, spec]) => {
    if (listed.has(name)) return [];
    const config = servers
      .map((server) => server.config)
      .filter((each) => name.startsWith(serverPrefix(each.name)))
      .toSorted((a, b) => b.name.length - a.name.length)[0];
    if (config === undefined || !isEnabled(config, name.slice(serverPrefix(config.name).length))) return [];
    return [{ server: config.name, name, spec }];
  });
}
