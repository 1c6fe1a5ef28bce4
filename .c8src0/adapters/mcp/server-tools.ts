import { withoutInvisible } from '../../base/invisible-characters.ts';
import type { McpServerConfig } from '../../core/config/servers/mcp-servers.ts';
import type { McpNews } from '../../core/envelope/facts.ts';
import { bytesPerToken, sentTokens } from '../../core/fragments/text/truncate.ts';
import { groupsWithinBudget } from '../../core/planes/fit-roles.ts';
import type { McpTool } from '../../ports/mcp-servers.ts';
import type { ToolSpec } from '../../ports/model.ts';
import { arrayAt, equalJson, isJsonObject, type Json, objectAt } from '../../protocol/json.ts';
import { isToolEnabled, offeredTools, type ServerListing, serverPrefix } from './listed-tools.ts';

/** Shares of the budget, in percent: deferred groups, notes about servers, and servers' own instructions. */
const percent = { announced: 28, notes: 24, instructions: 48 } as const;
const mostSignature = 200;

export interface ServerNewsInput {
  /** `problem`: why it does not run, as a sentence. */
  readonly servers: readonly Readonly<
    Record<'name', string> & Record<'instructions' | 'problem', string | undefined>
  >[];
  readonly tools: ThreadTools;
  /** For all texts together, in tokens. */
  readonly budget: number;
  /** The policy lets a call run, with or without asking. */
  readonly isUsable: (tool: McpTool) => boolean;
  /** The thread has the tool. Others are not mentioned. */
  readonly isChosen: (tool: { readonly name: string }) => boolean;
  /** The thread could have tools with this prefix. */
  readonly canBeChosen: (prefix: string) => boolean;
}

export function deferredGroups({ servers, tools, budget, isUsable, isChosen }: ServerNewsInput): McpNews['deferred'] {
  const usable = tools.deferred.filter((tool) => isChosen(tool) && isUsable(tool));
  const names = [...new Set(usable.map(({ server }) => server))];
  const most = shareOf(budget, percent.announced, names.length);
  return names.map((server) => {
    const own = usable.filter((tool) => tool.server === server).map(({ name }) => name);
    const isTold = tools.direct.some((tool) => tool.server === server && isChosen(tool));
    const words = servers.find(({ name }) => name === server)?.instructions?.split('\n', 1)[0];
    const about = isTold || words === undefined ? '' : `${words} `;
    const shown = own.slice(0, 8).join(', ');
    const more = own.length > 8 ? ` and ${own.length - 8} more` : '';
    return { name: `mcp__${server}`, description: cut(`${about}Tools: ${shown}${more}`, most) };
  });
}

/** Facts for the model about servers besides their tools. The text is stable until something changes. */
export function serverNews(input: ServerNewsInput): Omit<McpNews, 'deferred'> {
  const { servers, tools, budget, isUsable, isChosen, canBeChosen } = input;
  const mostOfEach = shareOf(budget, percent.notes, servers.length);
  const notes = servers.flatMap(({ name, problem }) => {
    const of = <Tool extends Pick<McpTool, 'name' | 'server'>>(all: readonly Tool[]): readonly Tool[] =>
      all.filter((tool) => tool.server === name && isChosen(tool));
    const listed = (names: readonly string[]): string => fitting(names, mostOfEach / 3);
    const unusable = of([...tools.direct, ...tools.deferred]).filter((tool) => !isUsable(tool));
    const isTold = problem !== undefined && canBeChosen(serverPrefix(name));
    const words = {
      problem: isTold ? cut(withoutInvisible(problem), mostOfEach) : '',
      changed: listed(of(tools.changed).map(signatureOf)),
      // The tools of a server that does not run are unknown.
      gone: problem === undefined ? listed(of(tools.missing).map((tool) => tool.name)) : '',
      unasked: listed(unusable.map((tool) => tool.name)),
    };
    return Object.values(words).every((text) => text === '') ? [] : [{ server: name, ...words }];
  });
  const speaking = servers.filter(({ name }) => tools.direct.some((tool) => tool.server === name && isChosen(tool)));
  const most = shareOf(budget, percent.instructions, servers.length);
  const instructions = speaking.flatMap(({ name, instructions: text }) =>
    text === undefined ? [] : [{ server: name, text: cut(text, most) }],
  );
  return { notes, instructions };
}

/** In characters. */
const shareOf = (budget: number, percentOfIt: number, parts: number): number =>
  Math.floor((budget * bytesPerToken * percentOfIt) / 100 / Math.max(1, parts));

function cut(text: string, most: number): string {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, Math.max(0, most - 1)).join('')}…`;
}

function fitting(names: readonly string[], characters: number): string {
  let used = 0;
  const kept = names.filter((name) => (used += name.length + 2) <= characters);
  const left = names.length - kept.length;
  if (left === 0) return kept.join(', ');
  return kept.length === 0 ? `${left} tools` : `${kept.join(', ')} and ${left} more`;
}

/** `name(query: string, limit?: number)`. */
function signatureOf({ name, spec }: McpTool): string {
  const schema = objectAt(spec, 'parameters') ?? {};
  const required = arrayAt(schema, 'required') ?? [];
  const given = Object.entries(objectAt(schema, 'properties') ?? {}).map(
    ([key, value]) => `${key}${required.includes(key) ? '' : '?'}: ${typeOf(value)}`,
  );
  return `${name}(${cut(given.join(', '), mostSignature)})`;
}

function typeOf(schema: Json | undefined): string {
  const type = isJsonObject(schema) ? schema['type'] : undefined;
  return typeof type === 'string' ? type : Array.isArray(type) ? type.join(' or ') : 'any';
}

export interface ThreadTools {
  /** In the tool list of every request, with the description that the model read first. */
  readonly direct: readonly McpTool[];
  /** Found by searching, and called by name. */
  readonly deferred: readonly McpTool[];
  /** Direct tools whose servers changed the description, with the new one. */
  readonly changed: readonly McpTool[];
  /** In the tool list, though their servers no longer list them. */
  readonly missing: readonly WithdrawnTool[];
  readonly hasResources: boolean;
}

/** Stays in the list only because removing it would lose the cached prefix. */
export type WithdrawnTool = Pick<McpTool, 'server' | 'name' | 'spec'>;
/** The presence of this tool means that resources are offered. */
const resourcesMark = 'list_mcp_resources';

export interface ToolsToSort {
  readonly servers: readonly { readonly config: McpServerConfig; readonly listing: ServerListing | undefined }[];
  /** Tools of the last request, by name. Absent: nothing holds the list yet. */
  readonly held: ReadonlyMap<string, ToolSpec> | undefined;
  /** For direct tools, in tokens. */
  readonly budget: number;
}

export const specTokens = (spec: ToolSpec): number => sentTokens(JSON.stringify(spec));

/** The tool list as it stays until history is rewritten. */
export function stableToolSpecs({ direct, hasResources }: ThreadTools): readonly ToolSpec[] {
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
    // Keeps the description that the model has read, even if the server changed it.
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
  const fitting = groupsWithinBudget(groups, budget);
  const isDirect = (tool: McpTool): boolean => fitting.has(tool.server) && !isOmitted(tool, 'direct');
  return {
    direct: all.filter(isDirect),
    deferred: all.filter((tool) => !isDirect(tool) && mayDefer(tool)),
    changed: [],
    missing: [],
    hasResources: known.some(({ listing }) => listing.hasResources),
  };
}

/** Only of configured servers: a server or tool that the user removed disappears at once. */
const missingTools = (
  held: ReadonlyMap<string, ToolSpec>,
  listed: ReadonlySet<string>,
  servers: ToolsToSort['servers'],
): readonly WithdrawnTool[] =>
  [...held].flatMap(([name, spec]) => {
    if (listed.has(name)) return [];
    const config = servers
      .map((server) => server.config)
      .filter((each) => name.startsWith(serverPrefix(each.name)))
      .toSorted((a, b) => b.name.length - a.name.length)[0];
    if (config === undefined || !isToolEnabled(config, name.slice(serverPrefix(config.name).length))) return [];
    return [{ server: config.name, name, spec }];
  });
