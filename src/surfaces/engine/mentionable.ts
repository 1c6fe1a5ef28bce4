import { deniesRead } from '../../policy/denied-reads.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { SkillFiles } from '../../skills/load-skills.ts';
import { configureThread } from './configure-thread.ts';
import type { EngineParts } from './engine-parts.ts';
import { threadPlugins } from './thread-plugins.ts';
import { skillSources } from './thread-skills.ts';

/** What a message can name besides files. */
export interface Mentionable {
  readonly skills: readonly MentionableSkill[];
  readonly plugins: readonly { readonly name: string }[];
}

export interface MentionableSkill {
  readonly name: string;
  readonly description: string;
  /** What names this skill and no other in a message: its name, or a link if several have the name. */
  readonly mention: string;
}

/** Looks anew: skills come and go while a conversation lasts. */
export async function findMentionable(engine: EngineParts, cwd: string): Promise<Mentionable | Outcome> {
  const { base, clock } = engine;
  const configured = await configureThread(engine, { cwd }, {});
  if ('code' in configured) return configured;
  const { config, settings, skillSwitches: switches } = configured;
  const installed = await threadPlugins(base.home, config, settings.features)();
  const denies = (path: string): boolean => deniesRead(base.requirements, path);
  const { roots } = skillSources(engine, { config, cwd, installed });
  const { skills } = await new SkillFiles(() => clock.now()).load({ roots, plugins: installed, switches, denies });
  const times = Map.groupBy(skills, ({ name }) => name);
  return {
    skills: skills.map(({ name, description, path }) => {
      const isOnly = times.get(name)?.length === 1;
      return { name, description, mention: isOnly ? `$${name}` : `[$${name}](${path})` };
    }),
    plugins: installed.map(({ name }) => ({ name })),
  };
}
