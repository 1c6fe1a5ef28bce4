import type { ConfigProblem } from '../../config/config-problem.ts';
import { configInFolder } from '../../gather/config/config-in-folder.ts';
import { type ConfigChoices, loadBaseLayers } from '../../gather/config/config-layers.ts';
import { writeHookTrust } from '../../gather/hooks/write-hook-trust.ts';
import { findHookPlaces } from '../../gather/hooks/hook-places.ts';
import { findHome } from '../../gather/system/home.ts';
import type { KnownHook } from '../../hooks/hook-definition.ts';
import { loadHooks } from '../../hooks/load-hooks.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { Variables } from '../../protocol/variables.ts';

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
  const loaded = places === undefined ? { hooks: [], problems: [] } : loadHooks(places);
  return {
    hooks: loaded.hooks,
    problems: [...base.problems, ...problems, ...loaded.problems],
    decide: (hooks, decision) => {
      const hashes = hooks.map(({ key, hash }) => ({ key, ...(decision === 'trust' ? { hash } : {}) }));
      return writeHookTrust(`${home.path}/config.toml`, hashes);
    },
  };
}
