import { readGuard } from '../../adapters/gather/files/read-guard.ts';
import { findSkillPlaces, type FoundSkillPlaces } from '../../adapters/gather/hook-and-skill-places.ts';
import type { InstalledPlugin } from '../../adapters/gather/installed-plugins.ts';
import type { Config } from '../../core/config/config.ts';
import { type GivenFeatures, isGateOpen } from '../../core/config/features.ts';
import type { Skills } from '../../ports/skills.ts';
import type { EngineParts } from '../engine-parts.ts';
import type { ConfiguredThread } from './configure-thread.ts';

export function createThreadSkills(
  { base, options, clock }: Pick<EngineParts, 'base' | 'options' | 'clock'>,
  { config, skillSwitches: switches }: Pick<ConfiguredThread, 'config' | 'skillSwitches'>,
  plugins: ThreadPlugins,
): Skills {
  let reader: ReturnType<typeof openReader> | undefined;
  let loaded: Pick<Skills, 'select' | 'relevant' | 'named'> | undefined;
  return {
    async look({ cwd, policy }) {
      const installed = await plugins();
      const { roots, problems } = skillSources({ base, options }, { config, cwd, installed });
      loaded = undefined;
      if (roots.length === 0) return problems;
      const { load } = await (reader ??= openReader(() => clock.now()));
      const { deniesModel: denies } = readGuard(policy);
      const found = await load({ roots, plugins: installed, switches, denies });
      loaded = found;
      return [...problems, ...found.problems];
    },
    select: (tokens) => loaded?.select(tokens),
    relevant: (text, tokens) => loaded?.relevant(text, tokens) ?? [],
    named: async (text) => (await loaded?.named(text)) ?? { skills: [], plugins: [], problems: [] },
  };
}

/** `prefix`: for the names of a plugin's skills. */
type SkillRoot = FoundSkillPlaces['places'][number] & { readonly prefix?: string };

export function skillSources(
  { base, options: { systemFolders } }: Pick<EngineParts, 'base' | 'options'>,
  { config, cwd, installed }: { config: Config; cwd: string; installed: readonly InstalledPlugin[] },
) {
  const { places, problems } = findSkillPlaces({ base, config, cwd, systemFolders });
  const ofPlugins = installed.flatMap(({ name, skills, place }): readonly SkillRoot[] =>
    skills === undefined ? [] : [{ path: skills, scope: 'user', prefix: `${name}:`, within: place }],
  );
  return { roots: [...places, ...ofPlugins] as readonly SkillRoot[], problems };
}

async function openReader(now: () => number) {
  const [{ SkillFiles }, { readNamedSkillFiles, relevantLoadedSkills, selectLoadedSkills }] = await Promise.all([
    import('../../adapters/skills/load-skills.ts'),
    import('../../adapters/skills/select-skills.ts'),
  ]);
  const files = new SkillFiles(now);
  return {
    async load(sources: Parameters<typeof files.load>[0]) {
      const found = await files.load(sources);
      const selected = new Map<number, ReturnType<Skills['select']>>();
      return {
        problems: found.problems,
        /** Cached: asked several times in each step. */
        select: (tokens: number) => {
          if (!selected.has(tokens)) selected.set(tokens, selectLoadedSkills(found, tokens));
          return selected.get(tokens);
        },
        relevant: (text: string, tokens: number) => relevantLoadedSkills(found, text, tokens),
        named: (text: string) => Promise.resolve(readNamedSkillFiles(found, text)),
      };
    },
  };
}

type ThreadPlugins = () => Promise<readonly InstalledPlugin[]>;

export function threadPlugins(home: string, { plugins = {} }: Pick<Config, 'plugins'>, gates: GivenFeatures) {
  if (Object.keys(plugins).length === 0 || !isGateOpen('plugins', gates)) return async () => [];
  return async () => (await import('../../adapters/gather/installed-plugins.ts')).findPlugins(home, plugins);
}
