import { AgentTree } from '../../agents/agent-tree.ts';
import { ThreadAgents } from '../../agents/thread-agents.ts';
import { type AgentsConfig, readAgentsConfig, startsAgents } from '../../config/agents.ts';
import type { Config } from '../../config/config.ts';
import type { Settings } from '../../envelope/settings.ts';
import { loadAgentRoles, projectRoleFolders } from '../../gather/config/agent-roles.ts';
import type { AgentLimits } from '../../ports/agents.ts';
import type { AskUser } from '../../ports/ask-user.ts';
import type { AgentIdentity } from '../../protocol/agent.ts';
import { defined } from '../../protocol/defined.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import type { ThreadParts } from '../../thread/parts/parts.ts';
import type { ToolSource } from '../../tools/router.ts';
import { rootAsker } from './agent-asker.ts';
import { agentThreads, type ParentRequest } from './agent-threads.ts';
import type { EngineParts } from './engine-parts.ts';
import { ListedRoles } from './listed-roles.ts';
import { deniesNamed } from './named-files.ts';
import type { CatalogueOf } from './settings-window.ts';

/** What a thread has of agents: those that it starts, and what it owes as one. Loaded only where it has any. */
export interface ThreadWithAgents extends Required<Pick<ThreadParts, 'agents' | 'beforeTurn' | 'release'>> {
  /** Absent: it may start none. */
  readonly source?: ToolSource;
  /** Asks for the thread, in turn with its agents. Absent: no one can be asked. */
  readonly askUser?: AskUser;
}

interface AgentsOfThreadInput {
  readonly config: Config;
  readonly catalogueOf: CatalogueOf;
  readonly settings: Settings;
  readonly request: ParentRequest & { readonly agent?: AgentIdentity };
}

const trees = new WeakMap<EngineParts, Map<ThreadId, AgentTree>>();

export async function openThreadAgents(
  engine: EngineParts,
  { config, catalogueOf, settings, request }: AgentsOfThreadInput,
): Promise<ThreadWithAgents> {
  const { agents: given, problems } = readAgentsConfig(config.agents);
  const limits = limitsOf(given);
  const { agent: self } = request;
  const { home } = engine.base;
  const loaded = await loadAgentRoles(config.agents, {
    home,
    denies: deniesNamed(engine),
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
  const mayFork = request.ephemeral !== true;
  const listed = mayStart ? new ListedRoles({ agents, mayFork, roles, catalogueOf }, settings) : undefined;
  const faults = [...problems, ...loaded.problems];
  return {
    agents,
    ...(listed && { source: listed.source }),
    async beforeTurn(chosen, { warn }) {
      for (const problem of [...faults, ...(listed?.chosen(chosen) ?? [])]) warn(problem);
      await agents.settle();
    },
    release: () => agents.release(),
    ...(request.askUser && { askUser: rootAsker(request.askUser) }),
  };
}

function limitsOf({ running, depth, tokens }: AgentsConfig): AgentLimits {
  return { running, depth, ...defined({ tokens }) };
}
