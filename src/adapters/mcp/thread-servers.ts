import { withoutInvisible } from '../../base/invisible-characters.ts';
import { defined } from '../../base/objects.ts';
import type { McpServerConfig } from '../../core/config/servers/mcp-servers.ts';
import type { McpNews } from '../../core/envelope/facts.ts';
import { bytesPerToken, sentTokens } from '../../core/fragments/text/truncate.ts';
import { groupsWithinBudget } from '../../core/planes/fit-roles.ts';
import { mcpToolDigest } from '../../core/policy/grants/grants.ts';
import type {
  McpAnswer,
  McpCallOptions,
  McpResourceRequest,
  McpServers,
  McpTool,
  McpToolCall,
} from '../../ports/mcp-servers.ts';
import type { ToolSpec } from '../../ports/model.ts';
import { valueOrAbort } from '../../protocol/abort.ts';
import { type Json, type JsonObject, arrayAt, equalJson, isJsonObject, objectAt } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { McpApprovalMode } from '../../protocol/permissions.ts';
import type { McpConnection } from './connection.ts';
import { type ServerListing, cutCharacters, isToolEnabled, offeredTools, serverPrefix } from './listed-tools.ts';
import { callAsTask } from './open-client.ts';

export interface ServerHistory {
  /** The tools of its last request. Absent: nothing holds them. */
  readonly held?: readonly ToolSpec[] | undefined;
  /** Why servers did not run, by name, as the model last read it. */
  readonly problems?: Readonly<Record<string, string>>;
}

/** In tokens of a request. */
export interface ServerBudgets {
  readonly tools: number;
  /** Texts about servers, and their own instructions. */
  readonly texts: number;
}

/**
 * The MCP servers of a thread. Their tools stand before the conversation in every request, so a change there loses the
 * provider's cache. The directly offered tools therefore stay as they first were (or as the thread's file has them)
 * until history is rewritten, or a smaller window has no space for them. Tools that appear later are deferred.
 */
export class ThreadServers implements McpServers {
  readonly #connections: ReadonlyMap<string, McpConnection>;
  readonly #budgets: () => ServerBudgets;
  readonly #besides: () => number;
  readonly #unwatch: readonly (() => void)[];
  /** Tools of the thread's last request, by name. Absent: nothing holds them yet. */
  #held: ReadonlyMap<string, ToolSpec> | undefined;
  #tools: ThreadTools | undefined;
  /** Reasons that the model read for servers that do not run, by name. Without a code: taken from the thread's file. */
  readonly #problems: Map<string, Pick<Outcome, 'message'> & Partial<Outcome>>;

  /** `besides`: size of optional tools from other sources, which share the budget. */
  constructor(
    connections: readonly McpConnection[],
    { held, problems = {} }: ServerHistory,
    budgets: () => ServerBudgets,
    besides: () => number = () => 0,
  ) {
    this.#besides = besides;
    this.#connections = new Map(connections.map((connection) => [connection.server.config.name, connection]));
    this.#held = held && byName(held);
    this.#problems = new Map(Object.entries(problems).map(([name, message]) => [name, { message }]));
    this.#budgets = budgets;
    this.#unwatch = connections.map((connection) => connection.onChange(() => (this.#tools = undefined)));
  }

  get names(): readonly string[] {
    return [...this.#connections.keys()];
  }

  approvalOf(server: string): McpApprovalMode {
    return this.#connections.get(server)?.server.config.approval.default ?? 'prompt';
  }

  /** Returns the same value until a server's list or the set of allowed tools changes. */
  get tools(): ThreadTools {
    return (this.#tools ??= this.#sorted());
  }

  get directTokens(): number {
    return this.#held === undefined ? 0 : tokensOf(this.tools.direct);
  }

  news(view: Pick<ServerNewsInput, 'isUsable' | 'isChosen' | 'canBeChosen'>): McpNews {
    const servers = [...this.#connections.values()].map((connection) => ({
      name: connection.server.config.name,
      instructions: connection.listing?.instructions,
      problem: this.#toldProblem(connection),
    }));
    const about = { servers, tools: this.tools, budget: this.#budgets().texts, ...view };
    return { deferred: deferredGroups(about), ...serverNews(about) };
  }

  /**
   * While a server fails with the same code, the model keeps the reason that it read first, even if the wording
   * changes. A reason from the thread's file stays until this process has seen the server.
   */
  #toldProblem({ server: { config }, problem, isSeen }: McpConnection): string | undefined {
    const told = this.#problems.get(config.name);
    if (problem === undefined && isSeen) this.#problems.delete(config.name);
    if (problem !== undefined && (told === undefined || (isSeen && told.code !== problem.code)))
      this.#problems.set(config.name, problem);
    return this.#problems.get(config.name)?.message;
  }

  /** Problems of servers that this process tried to start, in the words that the model reads. */
  get problems(): readonly Outcome[] {
    return [...this.#connections.values()].flatMap((connection) => {
      this.#toldProblem(connection);
      const { code, message, next } = this.#problems.get(connection.server.config.name) ?? {};
      const down = code === undefined || message === undefined || next === undefined ? [] : [{ code, message, next }];
      return [...down, ...(connection.oddTools === undefined ? [] : [connection.oddTools])];
    });
  }

  /** Why a listed tool cannot be called: its server does not run, or no longer lists it. */
  whyMissing(server: string): string | undefined {
    return this.#connections.get(server)?.problem?.message;
  }

  /** Waits for servers that were never tried, up to their limits. Then the tools are settled. */
  async settle(signal: AbortSignal, report: (outcome: Outcome) => void): Promise<void> {
    const all = [...this.#connections.values()];
    const unseen = all.filter(({ listing, problem }) => listing === undefined && problem === undefined);
    // Servers that failed are retried without waiting: tools that they list for the first time will be deferred.
    for (const connection of all) if (connection.problem !== undefined) void connection.start();
    const starting = unseen.map((connection) => connection.start());
    if (unseen.length > 0) {
      const slow = setTimeout(() => report(waitingFor(unseen)), 1000);
      await valueOrAbort(Promise.all(starting), signal, undefined).finally(() => clearTimeout(slow));
    }
    // For servers with a known list, `problems` reports the state.
    for (const { problem, oddTools, listing } of all)
      for (const found of [listing === undefined ? problem : undefined, oddTools])
        if (found !== undefined) report(found);
    if (this.#isTooLong()) this.renew();
    else this.#hold();
  }

  /** True if the held tools are too large for a window that has become smaller. Compaction does not shrink them. */
  #isTooLong(): boolean {
    if (this.#held === undefined) return false;
    const listed = [...this.tools.direct, ...this.tools.missing];
    return tokensOf(listed) > this.#budgets().tools;
  }

  startAll(): void {
    for (const connection of this.#connections.values()) {
      if (connection.problem === undefined) void connection.start();
    }
  }

  #hold(): void {
    this.#held ??= byName(stableToolSpecs(this.tools));
  }

  /** The cache is lost anyway, so offer all tools known by now. */
  renew(): void {
    this.#held = undefined;
    this.#tools = undefined;
    this.#hold();
    this.#tools = undefined;
  }

  #sorted(): ThreadTools {
    const servers = [...this.#connections.values()].map(({ server: { config }, listing }) => ({ config, listing }));
    return sortTools({ servers, held: this.#held, budget: Math.max(0, this.#budgets().tools - this.#besides()) });
  }

  async call(wanted: McpToolCall, ways: McpCallOptions): Promise<McpAnswer> {
    const { server, tool, metadata, isRepeatable } = wanted;
    const connection = this.#connections.get(server);
    if (connection === undefined) return { kind: 'failed', why: noServer(server, this.names) };
    const { toolTimeoutMs } = connection.server.config;
    let isOther = false;
    const answer = await connection.use(
      async ({ client, schemas, tasks, listing }, signal, began) => {
        isOther = isDescribedOtherwise(wanted, listing);
        if (isOther) return {};
        const schema = schemas.get(tool);
        const params = { name: tool, arguments: wanted.arguments, _meta: metadata };
        if (tasks.has(tool)) return callAsTask(client, params, { signal, timeout: toolTimeoutMs, began });
        const { progress } = ways;
        const options = {
          signal,
          timeout: toolTimeoutMs,
          maxTotalTimeout: toolTimeoutMs,
          ...(progress && { onprogress: (given: object) => progress(progressText(given as JsonObject)) }),
          ...(schema && { toolDefinition: { name: tool, inputSchema: schema as never } }),
        };
        return (await client.callTool(params, options)) as unknown as JsonObject;
      },
      ways,
      { isRepeatable },
    );
    return isOther ? describedOtherwise : answer;
  }

  async ask({ server, method, parameters }: McpResourceRequest, ways: McpCallOptions): Promise<McpAnswer> {
    const connection = this.#connections.get(server);
    if (connection === undefined) return { kind: 'failed', why: noServer(server, this.names) };
    const timeout = connection.server.config.toolTimeoutMs;
    const request = { method, params: parameters } as { method: 'resources/list'; params: Record<string, unknown> };
    return connection.use(
      async ({ client }, signal) => (await client.request(request, { signal, timeout })) as unknown as JsonObject,
      ways,
      { isRepeatable: true },
    );
  }

  release(): void {
    for (const unwatch of this.#unwatch) unwatch();
  }
}

/** True if the server now describes the tool differently from the list that the decision about the call used. */
function isDescribedOtherwise({ tool, hints, described }: McpToolCall, { tools }: ServerListing): boolean {
  const now = tools.find((listed) => listed.tool === tool);
  if (now === undefined) return false;
  const { description, parameters } = now;
  const digest = (judged: Pick<McpToolCall, 'hints' | 'described'>) =>
    mcpToolDigest({ ...judged, hints: judged.hints ?? {} });
  const said = defined({ hints: hints && now.hints, described: described && { description, parameters } });
  return digest(defined({ hints, described })) !== digest(said);
}

const describedOtherwise: McpAnswer = {
  kind: 'failed',
  why: 'the server now says something else about what this tool does, so the call was not sent. Call it again if you still need it: it is decided anew.',
};

const tokensOf = (tools: readonly { readonly spec: ToolSpec }[]): number =>
  tools.reduce((sum, { spec }) => sum + specTokens(spec), 0);
const byName = (specs: readonly ToolSpec[]): ReadonlyMap<string, ToolSpec> =>
  new Map(specs.map((spec) => [String(spec['name']), spec]));

function progressText({ progress, total, message }: JsonObject): string {
  const share = typeof total === 'number' ? `${String(progress)} of ${total}` : String(progress);
  return typeof message === 'string' ? `${share}: ${message.slice(0, 500)}\n` : `${share}\n`;
}

const noServer = (server: string, known: readonly string[]): string =>
  `there is no MCP server ${JSON.stringify(server)}. Servers: ${known.join(', ')}.`;

function waitingFor(unseen: readonly McpConnection[]): Outcome {
  const names = unseen.map(({ server }) => server.config.name).join(', ');
  return {
    code: 'mcp-servers-starting',
    message: `Capstan waits for MCP servers that it starts for the first time: ${names}.`,
    next: 'Later runs use the tools that Capstan remembers. They wait for a server that took too long only after `capstan mcp list` showed it.',
  };
}

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

function deferredGroups({ servers, tools, budget, isUsable, isChosen }: ServerNewsInput): McpNews['deferred'] {
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
    return { name: `mcp__${server}`, description: cutCharacters(`${about}Tools: ${shown}${more}`, most) };
  });
}

/** Facts for the model about servers besides their tools. The text is stable until something changes. */
function serverNews(input: ServerNewsInput): Omit<McpNews, 'deferred'> {
  const { servers, tools, budget, isUsable, isChosen, canBeChosen } = input;
  const mostOfEach = shareOf(budget, percent.notes, servers.length);
  const notes = servers.flatMap(({ name, problem }) => {
    const of = <Tool extends Pick<McpTool, 'name' | 'server'>>(all: readonly Tool[]): readonly Tool[] =>
      all.filter((tool) => tool.server === name && isChosen(tool));
    const listed = (names: readonly string[]): string => fitting(names, mostOfEach / 3);
    const unusable = of([...tools.direct, ...tools.deferred]).filter((tool) => !isUsable(tool));
    const isTold = problem !== undefined && canBeChosen(serverPrefix(name));
    const words = {
      problem: isTold ? cutCharacters(withoutInvisible(problem), mostOfEach) : '',
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
    text === undefined ? [] : [{ server: name, text: cutCharacters(text, most) }],
  );
  return { notes, instructions };
}

/** In characters. */
const shareOf = (budget: number, percentOfIt: number, parts: number): number =>
  Math.floor((budget * bytesPerToken * percentOfIt) / 100 / Math.max(1, parts));

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
  return `${name}(${cutCharacters(given.join(', '), mostSignature)})`;
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
  readonly missing: readonly UnavailableTool[];
  readonly hasResources: boolean;
}

/** Stays in the list only because removing it would lose the cached prefix. */
export type UnavailableTool = Pick<McpTool, 'server' | 'name' | 'spec'>;
/** The presence of this tool means that resources are offered. */
const resourcesMark = 'list_mcp_resources';

export interface ToolsToSort {
  readonly servers: readonly { readonly config: McpServerConfig; readonly listing: ServerListing | undefined }[];
  /** Tools of the last request, by name. Absent: nothing holds the list yet. */
  readonly held: ReadonlyMap<string, ToolSpec> | undefined;
  /** For direct tools, in tokens. */
  readonly budget: number;
}

const specTokens = (spec: ToolSpec): number => sentTokens(JSON.stringify(spec));

/** The tool list as it stays until history is rewritten. */
function stableToolSpecs({ direct, hasResources }: ThreadTools): readonly ToolSpec[] {
  const marked = hasResources ? [{ type: 'function', name: resourcesMark }] : [];
  return [...direct.map(({ spec }) => spec), ...marked];
}

function sortTools({ servers, held, budget }: ToolsToSort): ThreadTools {
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
): readonly UnavailableTool[] =>
  [...held].flatMap(([name, spec]) => {
    if (listed.has(name)) return [];
    const possible = servers.map(({ config }) => config).filter((each) => name.startsWith(serverPrefix(each.name)));
    const [config] = possible.toSorted((a, b) => b.name.length - a.name.length);
    if (config === undefined || !isToolEnabled(config, name.slice(serverPrefix(config.name).length))) return [];
    return [{ server: config.name, name, spec }];
  });
