import { randomBytes } from 'node:crypto';
import { readMcpServers } from '../../config/mcp-servers.ts';
import { contextBudget } from '../../envelope/context-shares.ts';
import { startServerProcess } from '../../exec/server-process.ts';
import { mcpToolMissing } from '../../fragments/answers/mcp-answers.ts';
import { loadImage } from '../../gather/files/load-image.ts';
import { listingFiles } from '../../mcp/listing-file.ts';
import { credentialStore } from '../../mcp/oauth/credential-store.ts';
import { ServerPool } from '../../mcp/server-pool.ts';
import { type PastServers, type ServerBudgets, ThreadServers } from '../../mcp/thread-servers.ts';
import type { McpTool } from '../../ports/mcp-servers.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ThreadParts } from '../../thread/parts/parts.ts';
import type { Tool } from '../../tools/define.ts';
import { callToolTool, type ReachedTools, toolSearchTool } from '../../tools/mcp/deferred-tools.ts';
import { mcpResourceTools } from '../../tools/mcp/resource-tools.ts';
import { mcpNeed, mcpTool, missingMcpTool } from '../../tools/mcp/mcp-tool.ts';
import type { ToolSource, ToolView } from '../../tools/router.ts';
import { confineServer } from './confine-server.ts';
import type { EngineParts } from './engine-parts.ts';
import type { ConfiguredThread } from './configure-thread.ts';
import { type CatalogueOf, settingsWindow } from './settings-window.ts';

/** What a thread has of MCP servers. Loaded only where some are configured. */
export interface ThreadMcp extends Required<Pick<ThreadParts, 'beforeTurn' | 'problemsNow' | 'release'>> {
  readonly source: ToolSource;
  /** What tools in the list weigh, once it is settled. */
  directTokens(): number;
  /** Starts the servers and waits for nothing. */
  start(): void;
}

interface McpThread extends Pick<ConfiguredThread, 'config' | 'settings'> {
  readonly catalogueOf: CatalogueOf;
  /** Absent: the thread sent no request yet. */
  readonly past?: PastServers;
  /** Deferred tools of other sources, which are found by the same search. The same array until they change. */
  readonly alsoDeferred: () => readonly Tool[];
  /** What direct tools of other sources take of the share that optional tools have, in tokens. */
  readonly besides: () => number;
}

const pools = new WeakMap<EngineParts, ServerPool>();

export async function openThreadMcp(
  engine: EngineParts,
  { config, catalogueOf, settings, past = {}, alsoDeferred, besides }: McpThread,
): Promise<ThreadMcp | Outcome> {
  const { servers: configured, problems } = readMcpServers(config.mcpServers, engine.base.requirements.mcpServers);
  const pool = poolOf(engine);
  const connections = configured.map((server) => pool.take({ config: server, cwd: settings.cwd }));
  let chosen = settings;
  const budgets = (): ServerBudgets => {
    const effective = settingsWindow(chosen, catalogueOf);
    return { tools: contextBudget('optionalTools', effective), texts: contextBudget('serverTexts', effective) };
  };
  // A thread that began without servers has another list anyway.
  const hasCall = past.held?.some((spec) => spec['name'] === 'call_tool') === true;
  const servers = new ThreadServers(connections, { ...past, held: hasCall ? past.held : undefined }, budgets, besides);
  const release = async (): Promise<void> => {
    servers.release();
    await Promise.all(connections.map((connection) => pool.release(connection)));
  };
  const required = connections.filter(({ server }) => server.config.required);
  await Promise.all(required.map((connection) => connection.start()));
  const missing = required.find(({ problem }) => problem !== undefined)?.problem;
  if (missing !== undefined) {
    await release();
    return missing;
  }
  return {
    source: toolSource(engine, { servers, alsoDeferred }),
    directTokens: () => servers.directTokens,
    start: () => servers.startAll(),
    async beforeTurn(now, { signal, warn }) {
      chosen = now;
      for (const problem of Object.values(problems)) warn(problem);
      await servers.settle(signal, warn);
    },
    problemsNow: () => servers.problems,
    release,
  };
}

function poolOf(engine: EngineParts): ServerPool {
  const { clock, programs, programFolder, base, options } = engine;
  const { name, version } = options.client;
  const pool =
    pools.get(engine) ??
    new ServerPool({
      clock,
      env: options.env,
      client: { name, version },
      startProcess: startServerProcess,
      confine: confineServer(engine),
      findProgram: (program) => programs.find(program),
      searchPath: () => programs.searchPath(),
      programFolder,
      listings: listingFiles(base.home),
      credentials: credentialStore(base.home, engine),
      random: () => randomBytes(16).toString('hex'),
    });
  pools.set(engine, pool);
  return pool;
}

/** The tools of servers, and those that reach what is deferred. The last two are always there: others may come later. */
function toolSource(
  { clock, resizeImage }: EngineParts,
  { servers, alsoDeferred }: Pick<McpThread, 'alsoDeferred'> & { readonly servers: ThreadServers },
): ToolSource {
  let known: ThreadServers['tools'] | undefined;
  let reached: ReachedTools = { listed: [], searched: [] };
  let others: readonly Tool[] = [];
  let all: readonly Tool[] = [];
  const ports = {
    servers,
    clock,
    loadImage: (dataUrl: string, signal: AbortSignal) => loadImage(dataUrl, '/', { resize: resizeImage, signal }),
  };
  const fixed = [toolSearchTool(() => reached), callToolTool(() => reached)];
  const resources = mcpResourceTools({ servers, clock, approvalOf: (server) => servers.approvalOf(server) });
  const give = (): readonly Tool[] => {
    const now = servers.tools;
    const beside = alsoDeferred();
    if (now === known && beside === others) return all;
    known = now;
    others = beside;
    const direct = now.direct.map((tool) => mcpTool(tool, ports, { deferred: false }));
    const missing = now.missing.map((tool) =>
      missingMcpTool(tool, () => mcpToolMissing(tool, servers.whyMissing(tool.server))),
    );
    const listed = [...direct, ...missing].toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const searched = (tools: readonly McpTool[]): readonly Tool[] =>
      tools.map((tool) => mcpTool(tool, ports, { deferred: true }));
    const deferred = searched(now.deferred);
    reached = { listed, searched: [...deferred, ...searched(now.changed), ...others] };
    const readers = now.hasResources ? resources : [];
    const reaching = servers.names.length === 0 && others.length === 0 ? [] : fixed;
    all = [...readers, ...listed, ...reaching, ...deferred];
    return all;
  };
  return Object.assign(give, {
    renew: () => servers.renew(),
    announced: ({ isUsable, ...choice }: ToolView) => {
      if (servers.names.length === 0) return {};
      const { deferred, ...mcpServers } = servers.news({
        isUsable: (tool) => isUsable({ name: tool.name, mcp: mcpNeed(tool) }),
        ...choice,
      });
      return { deferredTools: deferred, mcpServers };
    },
  });
}
