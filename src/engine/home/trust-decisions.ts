import { isAbsolute } from 'node:path';
import { choiceOption, optionWhere } from '../../core/envelope/read-options.ts';
import { isJsonObject } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ConfiguredHook } from './user-hooks.ts';
import type { EngineParts } from '../engine-parts.ts';
import { argumentProblem, requireArguments, folderPathOption } from '../check-arguments.ts';
import type { FolderTrust } from './folder-trust.ts';

/** `ofFolder` returns more than is needed here. */
const folderToDecide = optionWhere<Pick<FolderTrust, 'root'>>(
  'what ofFolder() gives: an object with root, and seen where there are parts',
  (given) => {
    const { root, seen } = (given ?? {}) as Partial<Record<keyof FolderTrust, unknown>>;
    return typeof root === 'string' && isAbsolute(root) && (seen === undefined || isJsonObject(seen));
  },
);

const hooksToDecide = optionWhere<readonly ConfiguredHook[]>('a list of hooks, as idleHooks() gives them', (given) => {
  const isHook = (hook: Partial<ConfiguredHook> | null) =>
    typeof hook?.key === 'string' && typeof hook.hash === 'string';
  return Array.isArray(given) && given.every(isHook);
});

/** The user's decisions about projects and hooks. They apply to engines that are loaded later. */
export class TrustDecisions {
  readonly #parts: EngineParts;

  constructor(parts: EngineParts) {
    this.#parts = parts;
  }

  async ofFolder(folder: string): Promise<FolderTrust> {
    requireArguments('ofFolder()', { folder: [folderPathOption, folder] });
    return (await import('./folder-trust.ts')).readFolderTrust(this.#parts, folder);
  }

  async decideFolder(
    about: Pick<FolderTrust, 'root'> & Partial<Pick<FolderTrust, 'seen'>>,
    decision: 'trusted' | 'untrusted',
  ): Promise<Outcome | undefined> {
    const problem = argumentProblem('decideFolder()', {
      about: [folderToDecide, about],
      decision: [choiceOption('trusted', 'untrusted'), decision],
    });
    return problem ?? (await import('./folder-trust.ts')).decideFolderTrust(this.#parts, about, decision);
  }

  /** Hooks of a folder that the user must decide about before they run. */
  async idleHooks(folder: string): Promise<readonly ConfiguredHook[]> {
    requireArguments('idleHooks()', { folder: [folderPathOption, folder] });
    return (await import('./folder-trust.ts')).hooksNeedingDecision(this.#parts, folder);
  }

  async decideHooks(hooks: readonly ConfiguredHook[], decision: 'trust' | 'untrust'): Promise<Outcome | undefined> {
    const problem = argumentProblem('decideHooks()', {
      hooks: [hooksToDecide, hooks],
      decision: [choiceOption('trust', 'untrust'), decision],
    });
    return problem ?? (await import('./user-hooks.ts')).decideHooks(this.#parts, hooks, decision);
  }
}
