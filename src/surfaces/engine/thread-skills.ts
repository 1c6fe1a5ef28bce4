import { readGuard } from '../../gather/files/read-guard.ts';
import { findSkillPlaces } from '../../gather/skills/skill-places.ts';
import type { Skills } from '../../ports/skills.ts';
import type { ConfiguredThread } from './configure-thread.ts';
import type { EngineParts } from './engine-parts.ts';

type LoadedOnUse = Readonly<{
  select: Skills['select'];
  named: Skills['named'];
}>;

/** The skills of one thread. Nothing that reads them is loaded where there is no folder with any. */
export function createThreadSkills(
  { base, options, clock }: Pick<EngineParts, 'base' | 'options' | 'clock'>,
  { config, switches }: Pick<ConfiguredThread, 'config'> & { readonly switches: ConfiguredThread['skillSwitches'] },
): Skills {
  const { systemFolders } = options;
  let reader: ReturnType<typeof openReader> | undefined;
  let loaded: LoadedOnUse | undefined;
  return {
    async look({ cwd, policy }) {
      const { places, problems } = findSkillPlaces({ base, config, cwd, ...(systemFolders && { systemFolders }) });
      loaded = undefined;
      if (places.length === 0) return problems;
      const { load } = await (reader ??= openReader(() => clock.now()));
      const { deniesModel: denies } = readGuard(policy);
      const found = load({ roots: places, switches, denies });
      loaded = found;
      return [...problems, ...found.problems];
    },
    select: (tokens) => loaded?.select(tokens),
    named: async (text) => (await loaded?.named(text)) ?? { skills: [], problems: [] },
  };
}

async function openReader(now: () => number) {
  const [{ SkillFiles }, { readNamed, selectLoaded }] = await Promise.all([
    import('../../skills/load-skills.ts'),
    import('../../skills/create-skills.ts'),
  ]);
  const files = new SkillFiles(now);
  return {
    load(sources: Parameters<typeof files.load>[0]) {
      const found = files.load(sources);
      const selected = new Map<number, ReturnType<Skills['select']>>();
      return {
        problems: found.problems,
        /** Asked for several times in each step. */
        select: (tokens: number) => {
          if (!selected.has(tokens)) selected.set(tokens, selectLoaded(found, tokens));
          return selected.get(tokens);
        },
        named: (text: string) => Promise.resolve(readNamed(found, text)),
      };
    },
  };
}
