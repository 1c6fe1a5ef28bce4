import type { Config } from '../../config/config.ts';
import type { ConfigLayer } from '../../config/config-layer.ts';
import { kindOfEntry } from '../../disk/file-system.ts';
import { realPath } from '../../disk/folders.ts';
import type { SkillScope } from '../../planes/select-skills.ts';
import { readSkillSwitches, type SkillSwitch } from '../../planes/skill-switches.ts';
import { defined } from '../../protocol/defined.ts';
import { objectAt } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { type BaseLayers, type ConfigChoices, usualSystemFolders } from '../config/config-layers.ts';
import { findTrust } from '../config/trust.ts';
import { inside, projectFolders, projectNames } from '../files/project-folders.ts';

/** A folder with skills that is there. */
interface SkillPlace {
  readonly path: string;
  readonly scope: SkillScope;
  readonly within?: string;
}

export interface FoundSkillPlaces {
  readonly places: readonly SkillPlace[];
  /** Skills of a project that do not count. */
  readonly problems: readonly Outcome[];
}

interface SkillChoices extends Pick<ConfigChoices, 'systemFolders'> {
  readonly base: Pick<BaseLayers, 'home' | 'osHome'>;
  readonly config: Pick<Config, 'skills' | 'projects' | 'projectRootMarkers'>;
  readonly cwd: string;
}

/** Which folders hold skills, in the order in which they count. Where there is none, this is a few looks at the disk. */
export function findSkillPlaces({ base, config, cwd, systemFolders }: SkillChoices): FoundSkillPlaces {
  const { home, osHome } = base;
  const own = [`${inside(home)}skills`, `${inside(osHome)}.agents/skills`].filter(isFolder);
  const bundled = config.skills?.bundled?.enabled === false ? [] : [`${inside(home)}skills/.system`].filter(isFolder);
  const machine = (systemFolders ?? usualSystemFolders).map((folder) => `${inside(folder)}skills`).filter(isFolder);
  const folders = projectFolders(cwd, config.projectRootMarkers);
  const project = folders.flatMap((owner) =>
    [...projectNames, '.agents']
      .map((name) => ({ owner, path: `${inside(owner)}${name}/skills` }))
      .filter(({ path }) => isFolder(path) && !own.some((each) => each === path || isSame(each, path))),
  );
  const decided = project.map((each) => ({ ...each, ...findTrust(each.owner, config, home) }));
  const trusted = decided.filter(({ trust }) => trust === 'trusted');
  const within = trusted.length === 0 ? undefined : realPath(folders[0] ?? cwd);
  const places = [
    ...trusted.toReversed().map(({ path }) => ({ path, scope: 'project' as const, ...defined({ within }) })),
    ...own.map((path) => ({ path, scope: 'user' as const })),
    ...bundled.map((path) => ({ path, scope: 'bundled' as const })),
    ...machine.map((path) => ({ path, scope: 'machine' as const })),
  ];
  // The configuration reports what Landlock left open.
  const ignored = decided
    .filter(({ trust, changed }) => trust !== 'trusted' && changed === undefined)
    .map(({ path }) => path);
  return { places, problems: ignored.length === 0 ? [] : [untrustedSkills(ignored, folders[0] ?? cwd)] };
}

/** What the user says about single skills. No file of a project decides about them. */
export function skillSwitches(layers: readonly ConfigLayer[], osHome: string): readonly SkillSwitch[] {
  const own = new Set<ConfigLayer['name']>(['user', 'profile', 'flags']);
  return layers
    .filter(({ name, disabled }) => own.has(name) && disabled === undefined)
    .flatMap(({ values }) => readSkillSwitches(objectAt(values, 'skills')?.['config'], osHome));
}

function isFolder(path: string): boolean {
  return kindOfEntry(path) === 'folder';
}

function isSame(a: string, b: string): boolean {
  return realPath(a) === realPath(b);
}

function untrustedSkills(paths: readonly string[], root: string): Outcome<'skills-untrusted'> {
  const message = `The skills in ${paths.join(', ')} are ignored: you have not trusted the project.`;
  const next = `To use them, set trust_level = "trusted" under [projects."${root}"] in your config.toml.`;
  return { code: 'skills-untrusted', message, next };
}
