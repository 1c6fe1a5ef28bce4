import { startServerProcess } from '../../adapters/exec/server-process.ts';
import { loadImage } from '../../adapters/gather/files/load-image.ts';
import { ServerPool } from '../../adapters/mcp/connection.ts';
import { credentialStore } from '../../adapters/mcp/credential-store.ts';
import { listingFiles } from '../../adapters/mcp/listing-file.ts';
import type { McpClientPorts } from '../../adapters/mcp/open-transport.ts';
import { type ServerBudgets, ThreadServers } from '../../adapters/mcp/thread-servers.ts';
import { callToolTool, type DeferredTools, toolSearchTool } from '../../adapters/tools/mcp-deferred-tools.ts';
import { mcpNeed, mcpResourceTools, mcpTool, missingMcpTool } from '../../adapters/tools/mcp-tools.ts';
import type { ToolSource, ToolFilter } from '../../adapters/tools/router.ts';
import type { Tool } from '../../adapters/tools/tool.ts';
import { readMcpServers } from '../../core/config/servers/mcp-servers.ts';
import type { Settings } from '../../core/envelope/settings.ts';
import { contextBudget } from '../../core/envelope/window.ts';
import { mcpToolMissingText } from '../../core/fragments/answers/mcp-and-found-tools.ts';
import { builtInModes } from '../../core/policy/profiles/tables/profile-tables.ts';
import type { McpTool } from '../../ports/mcp-servers.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { EngineParts } from '../engine-parts.ts';
import { type CatalogueOf, windowOfSettings } from '../models/settings-window.ts';
import type { ThreadPartsInput } from './create-thread-parts.ts';
import { randomBytes } from 'node:crypto';

interface McpThread extends Pick<ThreadPartsInput, 'config' | 'settings' | 'past'> {
  readonly catalogueOf: CatalogueOf;
  /** Deferred tools of other sources, found by the same search. The same array until they change. */
  readonly alsoDeferred: () => readonly Tool[];
  /** Tokens that direct tools of other sources take from the share of optional tools. */
  readonly besides: () => number;
}

const pools = new WeakMap<EngineParts, ServerPool>();

export async function openThreadMcp(
  engine: EngineParts,
  { config, catalogueOf, settings, past = {}, alsoDeferred, besides }: McpThread,
) {
  const { servers: configured, problems } = readMcpServers(config.mcpServers, engine.base.requirements.mcpServers);
  const pool = pools.get(engine) ?? new ServerPool(createMcpHost(engine));
  pools.set(engine, pool);
  const connections = configured.map((server) => pool.take({ config: server, cwd: settings.cwd }));
  let chosen = settings;
  const budgets = (): ServerBudgets => {
    const effective = windowOfSettings(chosen, catalogueOf);
    return { tools: contextBudget('optionalTools', effective), texts: contextBudget('serverTexts', effective) };
  };
  // Without `call_tool`, the list is from before the thread had servers. It need not be kept: it changes anyway.
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
    source: toolSource(engine, servers, alsoDeferred),
    /** In tokens; final once the list is settled. */
    directTokens: () => servers.directTokens,
    /** Does not wait for the servers. */
    start: () => servers.startAll(),
    async beforeTurn(now: Settings, { signal, warn }: { readonly signal: AbortSignal; warn(outcome: Outcome): void }) {
      chosen = now;
      for (const problem of Object.values(problems)) warn(problem);
      await servers.settle(signal, warn);
    },
    problemsNow: () => servers.problems,
    release,
  };
}

export function createMcpHost(engine: EngineParts): McpClientPorts {
  const { clock, home, programs, programFolder, options } = engine;
  const { name, version } = options.client;
  return {
    clock,
    env: options.env,
    client: { name, version },
    startProcess: startServerProcess,
    confine: confineServer(engine),
    findProgram: (program) => programs.find(program),
    searchPath: () => programs.searchPath(),
    programFolder,
    listings: listingFiles(home),
    credentials: credentialStore(home, engine),
    random: () => randomBytes(16).toString('hex'),
  };
}

/** The tools of servers, and the two that reach deferred ones, always listed: deferred tools may come later. */
function toolSource(
  { clock, resizeImage }: EngineParts,
  servers: ThreadServers,
  alsoDeferred: McpThread['alsoDeferred'],
): ToolSource {
  let known: ThreadServers['tools'] | undefined;
  let reached: DeferredTools = { listed: [], searched: [] };
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
      missingMcpTool(tool, () => mcpToolMissingText(tool, servers.whyMissing(tool.server))),
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
    announced: ({ isUsable, ...choice }: ToolFilter) => {
      if (servers.names.length === 0) return {};
      const { deferred, ...mcpServers } = servers.news({
        isUsable: (tool) => isUsable({ name: tool.name, mcp: mcpNeed(tool) }),
        ...choice,
      });
      return { deferredTools: deferred, mcpServers };
    },
  });
}

function confineServer(engine: EngineParts): McpClientPorts['confine'] {
  return async (command, { sandbox, cwd }) => {
    const { openSandbox } = await import('../sandbox/command-sandbox.ts');
    const named = Object.keys(builtInModes).find((profile) => builtInModes[profile] === sandbox) ?? sandbox;
    const opened = await openSandbox(engine, { cwd, permissions: { named } });
    return 'code' in opened ? opened : opened.plan(command);
  };
}
