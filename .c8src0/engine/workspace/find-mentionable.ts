import { folderProblem } from '../../adapters/gather/permission-places.ts';
import { SkillFiles } from '../../adapters/skills/load-skills.ts';
import {
  abortSignalOption,
  stringOption,
  type OptionTable,
  readOptions,
  wholeNumberOption,
} from '../../core/envelope/read-options.ts';
import { isWithin } from '../../core/policy/paths/absolute-paths.ts';
import { ownPathMatcher } from '../../core/policy/paths/special-places.ts';
import { deniesRead } from '../../core/policy/requirements.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { EngineParts } from '../engine-parts.ts';
import { configureThread } from '../thread-setup/configure-thread.ts';
import { skillSources, threadPlugins } from '../thread-setup/thread-skills.ts';
import { FileIndex } from './file-index.ts';
import { loadIgnoreRules } from './ignore-rules.ts';
import { findFiles, type FoundFiles } from './search-files.ts';
import type { VisibleFiles } from './visible-files.ts';
import { nodeWorkspaceDisk as disk } from './workspace-disk.ts';
import { TimeSlicer, WorkStoppedError } from './yield-to-event-loop.ts';

export type { FoundFile } from './search-files.ts';
export type { FileIndex } from './file-index.ts';
export type { FoundFiles } from './search-files.ts';

export interface FindFiles {
  /** Absolute. */
  readonly cwd: string;
  /** Letters of the path, in order. Empty: everything matches. */
  readonly typed: string;
  readonly limit?: number;
  /** Aborted when the next letter is typed: the results are then useless. */
  readonly signal?: AbortSignal;
}

const findOptions = {
  cwd: { type: stringOption, required: true },
  typed: { type: stringOption, required: true },
  limit: { type: wholeNumberOption },
  signal: { type: abortSignalOption },
} as const satisfies OptionTable<FindFiles>;

const mostFound = 1000;
type Searched = Pick<EngineParts, 'options' | 'base' | 'ownPlaces' | 'clock'>;

export async function findWorkspaceFiles(parts: Searched, search: FindFiles): Promise<FoundFiles | Outcome> {
  const read = readOptions<FindFiles>(search, findOptions, 'findFiles()');
  if ('code' in read) return read;
  const { cwd, typed, limit = 50, signal = new AbortController().signal } = read;
  const problem = folderProblem(cwd);
  if (problem !== undefined) return problem;
  const most = Math.max(1, Math.min(mostFound, Math.floor(limit)));
  const pace = new TimeSlicer(parts.clock, signal);
  try {
    return await findFiles({ ...groundOf(parts, cwd), typed: typed.trim(), limit: most, pace });
  } catch (error) {
    if (error instanceof WorkStoppedError) return stopped;
    throw error;
  }
}

export function openFileIndex(parts: Searched, cwd: string): FileIndex {
  return new FileIndex({ clock: parts.clock, ground: () => groundOf(parts, cwd) });
}

/** Without what git ignores, the engine's own places, what the machine's manager denies, and secrets. */
function groundOf({ options, base, ownPlaces }: Searched, cwd: string): Omit<VisibleFiles, 'pace'> {
  const root = disk.realPath(cwd) ?? cwd;
  const denies = (path: string): boolean => deniesRead(base.requirements, path);
  const own = ownPlaces();
  const isOwn = ownPathMatcher(own, root);
  return {
    root,
    disk,
    rules: loadIgnoreRules(root, { osHome: options.osHome, env: options.env }, { denies }),
    excludes: (path) => isOwn(path) || denies(path) || own.secrets.some((secret) => isWithin(path, secret)),
  };
}

const stopped: Outcome = { code: 'interrupted', message: 'The search was stopped.', next: '' };

export interface Mentionable {
  readonly skills: readonly MentionableSkill[];
  readonly plugins: readonly { readonly name: string }[];
}

export interface MentionableSkill {
  readonly name: string;
  readonly description: string;
  /** Names only this skill in a message: its name, or a link if several have that name. */
  readonly mention: string;
}

/** Reads the disk each time: skills come and go during a conversation. */
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
