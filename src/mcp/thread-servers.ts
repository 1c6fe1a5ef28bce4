import { sentTokens } from '../fragments/text/truncate.ts';
import { directGroups } from '../planes/direct-groups.ts';
import type {
  McpAnswer,
  McpCallWays,
  McpResourceRequest,
  McpServers,
  McpTool,
  McpToolCall,
} from '../ports/mcp-servers.ts';
import type { ToolSpec } from '../ports/prompt.ts';
import { beforeAbort } from '../protocol/before-abort.ts';
import { equalJson, type JsonObject } from '../protocol/json.ts';
import type { McpApprovalMode } from '../protocol/mcp-approval-mode.ts';
import type { Outcome } from '../protocol/outcome.ts';
import { callAsTask } from './call-as-task.ts';
import type { McpConnection } from './connection.ts';
import { offeredTools, type ServerListing } from './listed-tool.ts';

/** The tools of a thread's servers, by how the model reaches them. */
export interface ThreadTools {
  /** In the list of tools of every request. */
  readonly direct: readonly McpTool[];
  /** Found by searching, and called by name. */
  readonly deferred: readonly McpTool[];
  readonly hasResources: boolean;
}

/** The tool whose presence says that resources are offered. */
const resourcesMark = 'list_mcp_resources';

/** What descriptions of deferred groups may have together, in characters. */
const mostAnnounced = 3500;

export interface ServerNews {
  readonly name: string;
  readonly description: string;
}

/**
 * What a thread has of its servers. Tools stand before the conversation in every request, so which are offered directly
 * stays as it was first, or as the thread's file says, until history is rewritten. What comes later is deferred.
 */
export class ThreadServers implements McpServers {
  readonly #connections: ReadonlyMap<string, McpConnection>;
  readonly #budget: () => number;
  readonly #unwatch: readonly (() => void)[];
  /** As the last request of the thread had them, by name. Absent: nothing holds them yet. */
  #held: ReadonlyMap<string, ToolSpec> | undefined;
  #tools: ThreadTools | undefined;

  constructor(connections: readonly McpConnection[], held: readonly ToolSpec[] | undefined, budget: () => number) {
    this.#connections = new Map(connections.map((connection) => [connection.server.config.name, connection]));
    this.#held = held && byName(held);
    this.#budget = budget;
    this.#unwatch = connections.map((connection) => connection.onChange(() => (this.#tools = undefined)));
  }

  get names(): readonly string[] {
    return [...this.#connections.keys()];
  }

  /** When the user wants to be asked about what the server does. */
  approvalOf(server: string): McpApprovalMode {
    return this.#connections.get(server)?.server.config.approval.default ?? 'prompt';
  }

  /** The same value until a server lists something else, or tools may change. */
  get tools(): ThreadTools {
    return (this.#tools ??= this.#sorted());
  }

  /** Groups of deferred tools, for the text that announces them. */
  get announced(): readonly ServerNews[] {
    const { deferred } = this.tools;
    const names = [...new Set(deferred.map(({ server }) => server))];
    // A token has about four characters: a quarter of what tools may weigh.
    const most = Math.floor(Math.min(mostAnnounced, this.#budget()) / Math.max(1, names.length));
    return names.map((server) => {
      const tools = deferred.filter((tool) => tool.server === server).map(({ name }) => name);
      const about = this.#connections.get(server)?.listing?.instructions?.split('\n', 1)[0];
      const shown = tools.slice(0, 8).join(', ');
      const more = tools.length > 8 ? ` and ${tools.length - 8} more` : '';
      const description = `${about === undefined ? '' : `${about} `}Tools: ${shown}${more}`;
      return { name: `mcp__${server}`, description: [...description].slice(0, most).join('') };
    });
  }

  /** Waits for servers that were never seen, up to their limits. Then the tools are settled. */
  async settle(signal: AbortSignal, report: (outcome: Outcome) => void): Promise<void> {
    const unlisted = [...this.#connections.values()].filter(({ listing }) => listing === undefined);
    const unseen = unlisted.filter(({ problem }) => problem === undefined);
    // One that did not start is tried again, and not waited for: its tools will be deferred.
    for (const connection of unlisted) if (connection.problem !== undefined) void connection.start();
    const starting = unseen.map((connection) => connection.start());
    if (unseen.length > 0) {
      const slow = setTimeout(() => report(waitingFor(unseen)), 1000);
      await beforeAbort(Promise.all(starting), signal, undefined).finally(() => clearTimeout(slow));
    }
    for (const { problem, oddTools } of this.#connections.values())
      for (const found of [problem, oddTools]) if (found !== undefined) report(found);
    this.#hold();
  }

  /** Begins to start those that do not run, and waits for nothing. */
  startAll(): void {
    for (const connection of this.#connections.values()) {
      if (connection.problem === undefined) void connection.start();
    }
  }

  /** From here on the tools of requests stay what they are. */
  #hold(): void {
    const { direct, hasResources } = this.tools;
    this.#held ??= byName([
      ...direct.map(({ spec }) => spec),
      ...(hasResources ? [{ type: 'function', name: resourcesMark }] : []),
    ]);
  }

  /** History is rewritten, and the cache is lost anyway: what is known by now is offered. */
  renew(): void {
    this.#held = undefined;
    this.#tools = undefined;
    this.#hold();
    this.#tools = undefined;
  }

  #sorted(): ThreadTools {
    const known = [...this.#connections.values()].flatMap(({ server: { config }, listing }) =>
      listing === undefined ? [] : [{ config, listing }],
    );
    const all = offeredTools(known);
    const isOmitted = (server: string, from: string): boolean =>
      this.#connections.get(server)?.server.config.omitFrom.includes(from) === true;
    const mayDefer = ({ server }: McpTool): boolean => !isOmitted(server, 'deferred');
    const hasResources = known.some(({ listing }: { readonly listing: ServerListing }) => listing.hasResources);
    const held = this.#held;
    if (held !== undefined) {
      // The text that the model has read stays as it was, also where the server describes it anew.
      const direct = all.flatMap((tool) => {
        const spec = held.get(tool.name);
        return spec === undefined ? [] : [{ ...tool, spec }];
      });
      return {
        direct,
        deferred: all.filter((tool) => !held.has(tool.name) && mayDefer(tool)),
        hasResources: held.has(resourcesMark),
      };
    }
    const groups = known.map(({ config: { name } }) => {
      const specs = all.filter(({ server }) => server === name).map(({ spec }) => JSON.stringify(spec));
      return { name, tokens: specs.reduce((sum, spec) => sum + sentTokens(spec), 0) };
    });
    const fitting = directGroups(groups, this.#budget());
    const isDirect = ({ server }: McpTool): boolean => fitting.has(server) && !isOmitted(server, 'direct');
    return {
      direct: all.filter(isDirect),
      deferred: all.filter((tool) => !isDirect(tool) && mayDefer(tool)),
      hasResources,
    };
  }

  async call(wanted: McpToolCall, ways: McpCallWays): Promise<McpAnswer> {
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
        const options = {
          signal,
          timeout: toolTimeoutMs,
          maxTotalTimeout: toolTimeoutMs,
          ...(ways.progress === undefined
            ? {}
            : { onprogress: (given: object) => ways.progress?.(progressText(given as JsonObject)) }),
          ...(schema === undefined ? {} : { toolDefinition: { name: tool, inputSchema: schema as never } }),
        };
        return (await client.callTool(params, options)) as unknown as JsonObject;
      },
      ways,
      { isRepeatable },
    );
    return isOther ? describedOtherwise : answer;
  }

  async ask({ server, method, parameters }: McpResourceRequest, ways: McpCallWays): Promise<McpAnswer> {
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

  /** No longer told of changes. */
  release(): void {
    for (const unwatch of this.#unwatch) unwatch();
  }
}

/** What a list of an earlier process says decides nothing once the server says otherwise. */
function isDescribedOtherwise({ tool, hints }: McpToolCall, { tools }: ServerListing): boolean {
  const now = tools.find((listed) => listed.tool === tool);
  return hints !== undefined && now !== undefined && !equalJson({ ...hints }, { ...now.hints });
}

const describedOtherwise: McpAnswer = {
  kind: 'failed',
  why: 'the server now says something else about what this tool does, so the call was not sent. Call it again if you still need it: it is decided anew.',
};

function byName(specs: readonly ToolSpec[]): ReadonlyMap<string, ToolSpec> {
  return new Map(specs.map((spec) => [String(spec['name']), spec]));
}

function progressText({ progress, total, message }: JsonObject): string {
  const share = typeof total === 'number' ? `${String(progress)} of ${total}` : String(progress);
  return typeof message === 'string' ? `${share}: ${message.slice(0, 500)}\n` : `${share}\n`;
}

function noServer(server: string, known: readonly string[]): string {
  return `there is no MCP server ${JSON.stringify(server)}. Servers: ${known.join(', ')}.`;
}

function waitingFor(unseen: readonly McpConnection[]): Outcome {
  const names = unseen.map(({ server }) => server.config.name).join(', ');
  return {
    code: 'mcp-servers-starting',
    message: `Capstan waits for MCP servers that it starts for the first time: ${names}.`,
    next: 'Later starts do not wait: their tools are remembered.',
  };
}
