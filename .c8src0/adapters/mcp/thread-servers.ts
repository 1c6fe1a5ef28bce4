import type { McpNews } from '../../core/envelope/facts.ts';
import type {
  McpAnswer,
  McpCallOptions,
  McpResourceRequest,
  McpServers,
  McpToolCall,
} from '../../ports/mcp-servers.ts';
import { mcpToolDigest } from '../../core/policy/grants/grants.ts';
import type { ToolSpec } from '../../ports/model.ts';
import { valueOrAbort } from '../../protocol/abort.ts';
import { defined } from '../../base/objects.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { McpApprovalMode } from '../../protocol/permissions.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { callAsTask } from './open-client.ts';
import type { McpConnection } from './connection.ts';
import type { ServerListing } from './listed-tools.ts';
import { deferredGroups, serverNews, sortTools, specTokens, stableToolSpecs } from './server-tools.ts';
import type { ServerNewsInput, ThreadTools } from './server-tools.ts';

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
    const request = { method, params: parameters } as {
      readonly method: 'resources/list';
      readonly params: Record<string, unknown>;
    };
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
