import { configInFolder } from '../../adapters/gather/config/config-in-folder.ts';
import { loadBaseLayers } from '../../adapters/gather/config/config-layers.ts';
import { editUserConfig, userConfigValue } from '../../adapters/gather/config/edit-user-config.ts';
import { skillSwitches } from '../../adapters/gather/hook-and-skill-places.ts';
import { featureSwitches } from '../../core/config/features.ts';
import type { SkillScope } from '../../core/planes/select-skills.ts';
import { isSwitchedOn, readSkillSwitches } from '../../core/planes/skill-switches.ts';
import { deniesRead } from '../../core/policy/requirements.ts';
import { isJsonObject, type Json } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { SkillFiles } from '../../adapters/skills/load-skills.ts';
import type { EngineParts } from '../engine-parts.ts';
import { skillSources, threadPlugins } from '../thread-setup/thread-skills.ts';

export interface SkillEntry {
  readonly name: string;
  readonly description: string;
  readonly scope: SkillScope;
  readonly path: string;
  readonly isOn: boolean;
  /** True if the model may choose it by itself. */
  readonly isOffered: boolean;
}

export const skillRegistry = (engine: EngineParts) => ({
  /** Lists all skills of a folder from its current files, disabled ones included. */
  async list(folder: string) {
    const { options, clock } = engine;
    const base = await loadBaseLayers(engine.base.home, options);
    const { config, layers } = await configInFolder(base, folder);
    const installed = await threadPlugins(base.home, config, featureSwitches(config.features ?? {}))();
    const { roots, problems } = skillSources({ base, options }, { config, cwd: folder, installed });
    const denies = (path: string): boolean => deniesRead(base.requirements, path);
    const found = await new SkillFiles(() => clock.now()).load({ roots, plugins: installed, switches: [], denies });
    const switches = skillSwitches(layers, base.osHome);
    const skills = found.skills.map(({ name, description, scope, path, place, isOffered }): SkillEntry => {
      const isOn = isSwitchedOn(switches, { name, paths: [path, place] });
      return { name, description, scope, path, isOn, isOffered };
    });
    return { skills, problems: [...problems, ...found.problems] as readonly Outcome[] };
  },

  /** Saves the choice in the user's config.toml for the next run. Returns why it could not. */
  async switch({ name, path }: Pick<SkillEntry, 'name' | 'path'>, isOn: boolean): Promise<Outcome | undefined> {
    const { osHome } = engine.base;
    const set = await userConfigValue(engine, ['skills']);
    const { config = [], ...table } = isJsonObject(set) ? set : {};
    const before = Array.isArray(config) ? (config as readonly Json[]) : [];
    const others = before.filter((entry) => !isJsonObject(entry) || entry['path'] !== path);
    const isOnWithout = isSwitchedOn(readSkillSwitches([...others], osHome), { name, paths: [path] });
    const entries = isOnWithout === isOn ? others : [...others, { path, enabled: isOn }];
    const next = entries.length === 0 ? table : { ...table, config: [...entries] };
    return editUserConfig(engine, ['skills'], Object.keys(next).length === 0 ? undefined : next);
  },
});
