import { loadAgentRoles, projectRoleFolders } from '../../adapters/gather/config/agent-roles.ts';
import { agentTools, type AgentToolsOptions } from '../../adapters/tools/agent-tools.ts';
import type { ToolSource } from '../../adapters/tools/router.ts';
import type { Tool } from '../../adapters/tools/tool.ts';
import { builtInRoles, describeFixedChoices, mayStartAgents, readAgentsConfig } from '../../core/config/agents.ts';
import type { AgentRole } from '../../core/config/agents.ts';
import type { Settings } from '../../core/envelope/settings.ts';
import { contextBudget } from '../../core/envelope/window.ts';
import { fitRoles, type FittingRoles, type ListedRole } from '../../core/planes/fit-roles.ts';
import type { AgentIdentity } from '../../protocol/agent.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { AgentTreeState } from '../agents/agent-tree.ts';
import { agentThreads, type ParentRequest, askerSharedWithAgents } from '../agents/open-agent-threads.ts';
import { ThreadAgents } from '../agents/thread-agents.ts';
import type { EngineParts } from '../engine-parts.ts';
import { type CatalogueOf, windowOfSettings } from '../models/settings-window.ts';
import { configFileDenier } from '../sandbox/denied-config-files.ts';
import type { ConfiguredThread } from './configure-thread.ts';

interface AgentsOfThreadInput extends Pick<ConfiguredThread, 'config' | 'settings'> {
  readonly catalogueOf: CatalogueOf;
  readonly request: ParentRequest & { readonly agent?: AgentIdentity };
}

const trees = new WeakMap<EngineParts, Map<ThreadId, AgentTreeState>>();

export async function openThreadAgents(
  engine: EngineParts,
  { config, catalogueOf, settings, request }: AgentsOfThreadInput,
) {
  const given = readAgentsConfig(config.agents);
  const { running, depth, tokens } = given;
  const { agent: self } = request;
  const loaded = await loadAgentRoles(config.agents, {
    home: engine.base.home,
    denies: configFileDenier(engine),
    projects: projectRoleFolders(engine.base, settings.cwd),
  });
  const { roles } = loaded;
  const threads = agentThreads(engine, {
    parent: request,
    roles,
    developerInstructions: config.developerInstructions,
    questions: (rootId) => treeOf(rootId).questions,
  });
  const treeOf = (rootId: ThreadId): AgentTreeState => {
    const known = trees.get(engine) ?? new Map<ThreadId, AgentTreeState>();
    trees.set(engine, known);
    const tree = known.get(rootId) ?? new AgentTreeState(rootId, (id) => threads.read(id));
    known.set(rootId, tree);
    return tree;
  };
  const dropTree = (rootId: ThreadId): void => void trees.get(engine)?.delete(rootId);
  const { ids, clock } = engine;
  const defaults = { model: given.defaultModel, effort: given.defaultEffort };
  const limits = { running, depth, tokens };
  const agents = new ThreadAgents({ threads, ids, clock, limits, treeOf, dropTree, defaults, self });
  const isOn = mayStartAgents(config.agents, settings.features) && engine.agentLive() !== undefined;
  const mayStart = isOn && (self?.depth ?? 0) < depth;
  const mayFork = request.ephemeral !== true;
  const listed = mayStart ? new ListedRoles({ agents, mayFork, roles, catalogueOf }, settings) : undefined;
  return {
    agents,
    /** Undefined: the thread may start none. */
    source: listed?.source,
    async beforeTurn(chosen: Settings, { warn }: { warn(outcome: Outcome): void }): Promise<void> {
      for (const problem of [...loaded.problems, ...(listed?.chosen(chosen) ?? [])]) warn(problem);
      await agents.settle();
    },
    release: () => agents.release(),
    /** Takes turns with the thread's agents. Undefined: no one can be asked. */
    askUser: request.askUser && askerSharedWithAgents(request.askUser),
  };
}

interface RolesToList extends Pick<AgentToolsOptions, 'agents' | 'mayFork'> {
  readonly roles: readonly AgentRole[];
  readonly catalogueOf: CatalogueOf;
}

interface List extends FittingRoles {
  readonly tools: readonly Tool[];
  /** In tokens, for the user's roles. */
  readonly space: number;
}

/**
 * The tools for agents, with as many roles as the window has space for. Tools are at the beginning of every request: a
 * smaller window shortens the list at once, a larger one lengthens it only when history is rewritten or the thread is
 * reopened.
 */
class ListedRoles {
  readonly #given: RolesToList;
  #chosen: Settings;
  #list: List;
  /** Before the first turn the list was not sent yet and may still change. */
  #hasBegun = false;

  constructor(given: RolesToList, settings: Settings) {
    this.#given = given;
    this.#chosen = settings;
    this.#list = this.#fitting(settings);
  }

  readonly source: ToolSource = Object.assign((): readonly Tool[] => this.#list.tools, {
    renew: () => this.#use(this.#fitting(this.#chosen)),
  });

  /** Called as a turn begins. Returns notices about the roles in this window. */
  chosen(settings: Settings): readonly Outcome[] {
    this.#chosen = settings;
    const next = this.#fitting(settings);
    if (!this.#hasBegun || next.space < this.#list.space) this.#use(next);
    this.#hasBegun = true;
    return cutRoles(next);
  }

  /** Keeps the tools' identity while the list is equal. */
  #use(next: List): void {
    const isSame = JSON.stringify(next.listed) === JSON.stringify(this.#list.listed);
    this.#list = isSame ? { ...next, tools: this.#list.tools } : next;
  }

  #fitting(settings: Settings): List {
    const { agents, mayFork, roles, catalogueOf } = this.#given;
    const space = contextBudget('agentRoles', windowOfSettings(settings, catalogueOf));
    const own = roles.filter((role) => !builtInRoles.includes(role));
    const fitting = fitRoles(own.map(listedRole), space);
    const unlisted = own.slice(fitting.listed.length).map(({ name }) => name);
    // User roles replace built-in ones of the same name. Built-in ones are short and always whole.
    const listed = roles.flatMap((role) => {
      const at = own.indexOf(role);
      return at < 0 ? [listedRole(role)] : (fitting.listed[at] ?? []);
    });
    return { ...fitting, listed, space, tools: agentTools({ agents, roles: listed, unlisted, mayFork }) };
  }
}

function listedRole(role: AgentRole): ListedRole {
  return { name: role.name, description: role.description, fixed: describeFixedChoices(role) };
}

function cutRoles({ cut, leftOut }: FittingRoles): readonly Outcome[] {
  if (cut + leftOut === 0) return [];
  const message = `The roles of agents are too long for this window: ${cut} descriptions are cut, and ${leftOut} roles are not listed.`;
  const next = 'Shorten the descriptions, remove roles, or choose a larger window. You can still name every role.';
  return [{ code: 'agent-roles-cut', message, next }];
}
