import { systemPrograms } from '../../adapters/exec/find-programs.ts';
import { runWithInput } from '../../adapters/exec/run-program.ts';
import { systemClock } from '../../adapters/gather/clock-and-ids.ts';
import { configInFolder } from '../../adapters/gather/config/config-in-folder.ts';
import { type ConfigChoices, loadBaseLayers } from '../../adapters/gather/config/config-layers.ts';
import { editUserConfig, userConfigValue } from '../../adapters/gather/config/edit-user-config.ts';
import type { ConfigEditPorts } from '../../adapters/gather/config/edit-user-config.ts';
import { changedConfiguration } from '../../adapters/gather/config/project-trust.ts';
import { findHome } from '../../adapters/gather/home.ts';
import { findHookPlaces } from '../../adapters/gather/hook-and-skill-places.ts';
import { createHookTextShortener } from '../../adapters/hooks/hook-answers.ts';
import { type HookDefinition, type KnownHook, compileMatchers } from '../../adapters/hooks/hook-definitions.ts';
import { loadHooks } from '../../adapters/hooks/load-hooks.ts';
import { createHookRunner, StartHookRecord } from '../../adapters/hooks/run-hooks.ts';
import { createFlock } from '../../adapters/rollout/files/file-locks.ts';
import type { ConfigProblem } from '../../core/config/layer-order.ts';
import type { Hooks } from '../../ports/hooks.ts';
import { isJsonObject } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { EnvironmentVariables } from '../../protocol/shell.ts';
import type { EngineParts } from '../engine-parts.ts';
import { programVariables } from '../sandbox/user-program-variables.ts';
import { dirname, join } from 'node:path';

export type ConfiguredHook = KnownHook;

export interface ConfiguredHooks {
  readonly hooks: readonly ConfiguredHook[];
  readonly problems: readonly ConfigProblem[];
  decide(hooks: readonly ConfiguredHook[], decision: 'trust' | 'untrust'): Promise<Outcome | undefined>;
}

/** The hooks of a folder, including those that may not run. */
export async function loadConfiguredHooks(
  folder: string,
  choices: ConfigChoices & { readonly env: EnvironmentVariables },
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

export async function decideHooks(
  place: ConfigEditPorts,
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

export const hookRegistry = (engine: EngineParts) => ({
  list(folder: string): Promise<ConfiguredHooks | Outcome> {
    return loadConfiguredHooks(folder, engine.options);
  },

  /** The hooks that run in this engine; decisions made after it was loaded count for the next one. */
  async running(folder: string): Promise<readonly ConfiguredHook[]> {
    const [{ hooksInForce }, { mayRunHook: mayRun }] = await Promise.all([
      import('./folder-trust.ts'),
      import('../../adapters/hooks/load-hooks.ts'),
    ]);
    return (await hooksInForce(engine, folder)).filter(mayRun);
  },

  /** Saves in the user's config.toml whether a hook runs, without changing its trust. Returns why it could not. */
  async switch({ key }: Pick<ConfiguredHook, 'key'>, isOn: boolean): Promise<Outcome | undefined> {
    const path = ['hooks', 'state', key];
    const set = await userConfigValue(engine, path);
    const { enabled: _before, ...kept } = isJsonObject(set) ? set : {};
    const next = isOn ? kept : { ...kept, enabled: false };
    return editUserConfig(engine, path, Object.keys(next).length === 0 ? undefined : next);
  },
});

/** The hooks of one thread. They are the user's own programs and get the variables of this process. */
export async function createThreadHooks(
  engine: Pick<EngineParts, 'clock' | 'ids' | 'options' | 'programs' | 'base' | 'sessionStarts'>,
  hooks: readonly HookDefinition[],
  shell: string,
): Promise<Hooks> {
  const { clock, ids, options } = engine;
  // Node gives programs a socket as standard input. Without SHLVL, bash takes that for a remote login and reads files.
  const level = String(Math.max(1, Number(options.env['SHLVL']) || 0));
  const { patterns } = await compileMatchers(hooks.map(({ matcher }) => matcher));
  return createHookRunner({
    hooks,
    patterns,
    run: runWithInput,
    refusal: ({ source }) => {
      if (source.owner !== 'project') return undefined;
      // Commands of this thread may run under Landlock and could change the hook's script beside its definition.
      const found = changedConfiguration(engine.base.home, { owner: dirname(dirname(source.path)) });
      return found && `It was not run: commands under Landlock could change ${found.changed} since you trusted it.`;
    },
    shell,
    variables: () => ({ ...programVariables(engine), SHLVL: level }),
    clock,
    ids,
    texts: createHookTextShortener(join(engine.base.home, 'hook-outputs')),
    starts: new StartHookRecord(engine.sessionStarts),
  });
}
