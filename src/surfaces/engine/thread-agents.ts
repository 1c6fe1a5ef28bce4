import { AgentTree } from '../../agents/agent-tree.ts';
import { ThreadAgents } from '../../agents/thread-agents.ts';
import { type AgentRole, builtInRoles, roleWords } from '../../config/agent-role.ts';
import { type AgentsConfig, readAgentsConfig, startsAgents } from '../../config/agents.ts';
import type { Config } from '../../config/config.ts';
import { contextBudget } from '../../envelope/context-shares.ts';
import type { Catalogue } from '../../envelope/model-record.ts';
import type { Settings } from '../../envelope/settings.ts';
import { loadAgentRoles, projectRoleFolders } from '../../gather/config/agent-roles.ts';
import { type FittingRoles, fittingRoles, type ListedRole, rolesWeight } from '../../planes/fitting-roles.ts';
import { deniesRead } from '../../policy/denied-reads.ts';
import type { AgentLimits } from '../../ports/agents.ts';
import type { AskUser } from '../../ports/ask-user.ts';
import type { CompactAnswer, ModelClient, ModelFailure, ModelRequest } from '../../ports/model-client.ts';
import type { AgentIdentity } from '../../protocol/agent.ts';
import { defined } from '../../protocol/defined.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ThreadParts } from '../../thread/parts/parts.ts';
import { agentTools } from '../../tools/agents/agent-tools.ts';
import type { Tool } from '../../tools/define.ts';
import { rootAsker } from './agent-asker.ts';
import { agentThreads, type ParentRequest } from './agent-threads.ts';
import type { EngineParts } from './engine-parts.ts';
import { settingsWindow } from './settings-window.ts';

/** What a thread has of agents: those that it starts, and what it owes as one. Loaded only where it has any. */
export interface ThreadWithAgents extends Required<Pick<ThreadParts, 'agents' | 'beforeTurn' | 'release'>> {
  readonly tools: readonly Tool[];
  /** Asks for the thread, in turn with its agents. Absent: no one can be asked. */
  readonly askUser?: AskUser;
  /** The client, within the budget of tokens that the agents of a root share. */
  metered(client: ModelClient): ModelClient;
}

interface AgentsOfThreadInput {
  readonly config: Config;
  readonly catalogue: Catalogue;
  readonly settings: Settings;
  readonly request: ParentRequest & { readonly agent?: AgentIdentity };
}

const trees = new WeakMap<EngineParts, Map<ThreadId, AgentTree>>();

export async function openThreadAgents(
  engine: EngineParts,
  { config, catalogue, settings, request }: AgentsOfThreadInput,
): Promise<ThreadWithAgents> {
  const { agents: given, problems } = readAgentsConfig(config.agents);
  const limits = limitsOf(given);
  const { agent: self } = request;
  const { home, requirements } = engine.base;
  const denies = (path: string): boolean => deniesRead(requirements, path);
  const loaded = await loadAgentRoles(config.agents, {
    home,
    denies,
    projects: projectRoleFolders(engine.base, settings.cwd),
  });
  const { roles } = loaded;
  const threads = agentThreads(engine, {
    parent: request,
    roles,
    developerInstructions: config.developerInstructions,
    questions: (rootId) => treeOf(rootId).questions,
  });
  const treeOf = (rootId: ThreadId): AgentTree => {
    const known = trees.get(engine) ?? new Map<ThreadId, AgentTree>();
    trees.set(engine, known);
    const tree = known.get(rootId) ?? new AgentTree(rootId, (id) => threads.read(id));
    known.set(rootId, tree);
    return tree;
  };
  const dropTree = (rootId: ThreadId): void => void trees.get(engine)?.delete(rootId);
  const { ids, clock } = engine;
  const defaults = defined({ model: given.defaultModel, effort: given.defaultEffort });
  const agents = new ThreadAgents({ threads, ids, clock, limits, treeOf, dropTree, defaults, ...defined({ self }) });
  const isOn = startsAgents(config.agents, settings.features) && engine.agentLive() !== undefined;
  const mayStart = isOn && (self?.depth ?? 0) < limits.depth;
  const space = contextBudget('agentRoles', settingsWindow(settings, catalogue));
  const fitting = fittingRoles(roles.map(listedRole), rolesWeight(builtInRoles.map(listedRole)) + space);
  const unlisted = roles.slice(fitting.listed.length).map(({ name }) => name);
  const tools = mayStart ? agentTools({ agents, roles: fitting.listed, unlisted }) : [];
  const faults = [...problems, ...loaded.problems, ...(mayStart ? cutRoles(fitting) : [])];
  return {
    agents,
    tools,
    async beforeTurn(_settings, { warn }) {
      for (const problem of faults) warn(problem);
      await agents.settle();
    },
    release: () => agents.release(),
    ...(request.askUser && { askUser: rootAsker(request.askUser) }),
    metered: (client) =>
      self === undefined ? client : meteredClient(client, { self, limits, tree: treeOf(self.rootId) }),
  };
}

function listedRole(role: AgentRole): ListedRole {
  return { name: role.name, description: roleWords(role) };
}

function cutRoles({ cut, leftOut }: FittingRoles): readonly Outcome[] {
  if (cut + leftOut === 0) return [];
  const message = `The roles of agents are too long for this window: ${cut} descriptions are cut, and ${leftOut} roles are not listed.`;
  const next = 'Shorten the descriptions, remove roles, or choose a larger window. You can still name every role.';
  return [{ code: 'agent-roles-cut', message, next }];
}

function limitsOf({ running, depth, tokens }: AgentsConfig): AgentLimits {
  return { running, depth, ...defined({ tokens }) };
}

interface Meter {
  readonly self: AgentIdentity;
  readonly limits: AgentLimits;
  readonly tree: AgentTree;
}

/** Sends nothing for which the agents of the root have no tokens left. */
function meteredClient(client: ModelClient, { self, limits, tree }: Meter): ModelClient {
  const compact = client.compact?.bind(client);
  const meter = (request: ModelRequest) => tree.meter(self.id, expectedTokens(request), limits);
  return {
    async *stream(request, signal) {
      const metered = await meter(request);
      if ('code' in metered) {
        yield { kind: 'failed', failure: noTokensLeft(metered) };
        return;
      }
      // An answer that broke off is not counted: no one knows what it cost.
      let tokens: number | undefined = 0;
      try {
        for await (const event of client.stream(request, signal)) {
          if (event.kind === 'completed') tokens = event.usage?.total;
          yield event;
        }
      } finally {
        metered.over(tokens);
      }
    },
    ...(compact && {
      async compact(request: ModelRequest, signal: AbortSignal): Promise<CompactAnswer> {
        const metered = await meter(request);
        if ('code' in metered) return { kind: 'failed', failure: noTokensLeft(metered) };
        const answer = await compact(request, signal);
        metered.over(answer.kind === 'compacted' ? answer.usage?.total : 0);
        return answer;
      },
    }),
    authMode: () => client.authMode(),
  };
}

/** Four bytes are taken as a token. The answer comes on top. */
function expectedTokens({ body }: ModelRequest): number {
  return Math.ceil(body.reduce((sum, part) => sum + part.length, 0) / 4);
}

function noTokensLeft({ message, next }: { readonly message: string; readonly next: string }): ModelFailure {
  return { code: 'usage-limit', message, next, retry: 'never' };
}
