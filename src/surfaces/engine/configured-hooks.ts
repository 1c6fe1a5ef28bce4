import type { ConfigProblem } from '../../config/config-problem.ts';
import { systemPrograms } from '../../exec/processes/programs.ts';
import { configInFolder } from '../../gather/config/config-in-folder.ts';
import { type ConfigChoices, loadBaseLayers } from '../../gather/config/config-layers.ts';
import { type EditedConfig, editUserConfig } from '../../gather/config/edit-user-config.ts';
import { findHookPlaces } from '../../gather/hooks/hook-places.ts';
import { findHome } from '../../gather/system/home.ts';
import { systemClock } from '../../gather/system/system-clock.ts';
import type { KnownHook } from '../../hooks/hook-definition.ts';
import { loadHooks } from '../../hooks/load-hooks.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { Variables } from '../../protocol/variables.ts';
import { createFlock } from '../../rollout/disk/flock.ts';

export type ConfiguredHook = KnownHook;

export interface ConfiguredHooks {
  readonly hooks: readonly ConfiguredHook[];
  readonly problems: readonly ConfigProblem[];
  /** Records the user's decision in the user's own file. Gives why it could not. */
  decide(hooks: readonly ConfiguredHook[], decision: 'trust' | 'untrust'): Promise<Outcome | undefined>;
}

/** The hooks of a folder, also those that may not run. */
export async function loadConfiguredHooks(
  folder: string,
  choices: ConfigChoices & { readonly env: Variables },
): Promise<ConfiguredHooks | Outcome> {
  const home = findHome(choices.env, choices.osHome);
  if ('code' in home) return home;
  const base = await loadBaseLayers(home.path, choices);
  const { layers, problems } = await configInFolder(base, folder);
  const places = findHookPlaces(base, layers, folder, choices);
  const loaded = places === undefined ? { hooks: [], problems: [] } : await loadHooks(places);
  return {
    hooks: loaded.hooks,
    problems: [...base.problems, ...problems, ...loaded.problems],
    async decide(hooks, decision) {
      const locks = createFlock({ clock: systemClock, programs: systemPrograms });
      return decideHooks({ home: home.path, locks, clock: systemClock }, hooks, decision);
    },
  };
}

/** Records the user's decision in the user's own file. Gives why it could not. */
export async function decideHooks(
  place: EditedConfig,
  hooks: readonly ConfiguredHook[],
  decision: 'trust' | 'untrust',
): Promise<Outcome | undefined> {
  for (const { key, hash } of hooks) {
    const table = decision === 'trust' ? { trusted_hash: hash } : undefined;
    const failed = await editUserConfig(place, ['hooks', 'state', key], table);
    if (failed !== undefined) return failed;
  }
  return undefined;
}
