import { type AgentRole, builtInRoles, fixedOf } from '../../config/agent-role.ts';
import { contextBudget } from '../../envelope/context-shares.ts';
import type { Settings } from '../../envelope/settings.ts';
import { type FittingRoles, fittingRoles, type ListedRole } from '../../planes/fitting-roles.ts';
import { defined } from '../../protocol/defined.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { agentTools, type AgentToolsOptions } from '../../tools/agents/agent-tools.ts';
import type { Tool } from '../../tools/define.ts';
import type { ToolSource } from '../../tools/router.ts';
import { type CatalogueOf, settingsWindow } from './settings-window.ts';

interface RolesToList extends Pick<AgentToolsOptions, 'agents' | 'mayFork'> {
  readonly roles: readonly AgentRole[];
  readonly catalogueOf: CatalogueOf;
}

interface List extends FittingRoles {
  readonly tools: readonly Tool[];
  /** What the roles of the user may weigh, in tokens. */
  readonly space: number;
}

/**
 * The tools for agents, with as many roles as the window has space for. Tools stand before the conversation in every
 * request: a smaller window shortens the list at once, and a larger one lengthens it when history is rewritten or the thread is opened anew.
 */
export class ListedRoles {
  readonly #given: RolesToList;
  #chosen: Settings;
  #list: List;
  /** Before a turn nothing is sent, so nothing holds the list. */
  #hasBegun = false;

  constructor(given: RolesToList, settings: Settings) {
    this.#given = given;
    this.#chosen = settings;
    this.#list = this.#fitting(settings);
  }

  readonly source: ToolSource = Object.assign((): readonly Tool[] => this.#list.tools, {
    renew: () => this.#use(this.#fitting(this.#chosen)),
  });

  /** A turn begins under these settings. Gives what the user should know of the roles in this window. */
  chosen(settings: Settings): readonly Outcome[] {
    this.#chosen = settings;
    const next = this.#fitting(settings);
    if (!this.#hasBegun || next.space < this.#list.space) this.#use(next);
    this.#hasBegun = true;
    return cutRoles(next);
  }

  /** The same tools where the same is listed. */
  #use(next: List): void {
    const isSame = JSON.stringify(next.listed) === JSON.stringify(this.#list.listed);
    this.#list = isSame ? { ...next, tools: this.#list.tools } : next;
  }

  #fitting(settings: Settings): List {
    const { agents, mayFork, roles, catalogueOf } = this.#given;
    const space = contextBudget('agentRoles', settingsWindow(settings, catalogueOf));
    const own = roles.filter((role) => !builtInRoles.includes(role));
    const fitting = fittingRoles(own.map(listedRole), space);
    const unlisted = own.slice(fitting.listed.length).map(({ name }) => name);
    // Those of the user take the places of their names. Built-in ones are short, and always whole.
    const listed = roles.flatMap((role) => {
      const at = own.indexOf(role);
      return at < 0 ? [listedRole(role)] : (fitting.listed[at] ?? []);
    });
    return { ...fitting, listed, space, tools: agentTools({ agents, roles: listed, unlisted, mayFork }) };
  }
}

function listedRole(role: AgentRole): ListedRole {
  return { name: role.name, description: role.description, ...defined({ fixed: fixedOf(role) }) };
}

function cutRoles({ cut, leftOut }: FittingRoles): readonly Outcome[] {
  if (cut + leftOut === 0) return [];
  const message = `The roles of agents are too long for this window: ${cut} descriptions are cut, and ${leftOut} roles are not listed.`;
  const next = 'Shorten the descriptions, remove roles, or choose a larger window. You can still name every role.';
  return [{ code: 'agent-roles-cut', message, next }];
}
