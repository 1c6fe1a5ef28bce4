import { folderProblem } from '../../adapters/gather/permission-places.ts';
import { SkillFiles } from '../../adapters/skills/load-skills.ts';
import {
  abortSignalOption,
  stringOption,
  validateOptions,
  wholeNumberOption,
} from '../../core/envelope/read-options.ts';
import type { OptionReaders } from '../../core/envelope/read-options.ts';
import { isWithin } from '../../core/policy/paths/absolute-paths.ts';
import { ownPathMatcher } from '../../core/policy/paths/special-places.ts';
import { deniesRead } from '../../core/policy/requirements.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { EngineParts } from '../engine-parts.ts';
import { configureThread } from '../thread-setup/configure-thread.ts';
import { skillSources, threadPlugins } from '../thread-setup/thread-skills.ts';
import { loadIgnoreRules } from './ignore-rules.ts';
import { findFiles, BestFiles, rankPath, type FoundFiles } from './search-files.ts';
import { visibleFiles, type VisibleFiles } from './visible-files.ts';
import { nodeWorkspaceDisk as disk } from './workspace-disk.ts';
import { TimeSlicer, WorkStoppedError } from './yield-to-event-loop.ts';
import type { Clock } from '../../ports/system.ts';

export type { FoundFile } from './search-files.ts';
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
} as const satisfies OptionReaders<FindFiles>;

const mostFound = 1000;
type Searched = Pick<EngineParts, 'options' | 'base' | 'ownPlaces' | 'clock'>;

export async function findWorkspaceFiles(parts: Searched, search: FindFiles): Promise<FoundFiles | Outcome> {
  const read = validateOptions<FindFiles>(search, findOptions, 'findFiles()');
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

export const openFileIndex = (parts: Searched, cwd: string): FileIndex =>
  new FileIndex({ clock: parts.clock, ground: () => groundOf(parts, cwd) });

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

interface IndexSearch {
  /** Letters of the path, in order. Empty: the most recently changed files. */
  readonly typed: string;
  readonly limit: number;
  /** Paths that the user named before, which rank higher. */
  readonly named?: ReadonlySet<string>;
  /** Aborted when the next letter is typed: the results are then useless. */
  readonly signal: AbortSignal;
  /** Called at once with the known results, and again as more of the folder is known. */
  found(files: FoundFiles): void;
}

type IndexedFile = { readonly path: string; readonly kind: 'file' | 'folder'; readonly modifiedAt: number };

interface IndexParts {
  readonly clock: Clock;
  /** The files to search, under the current rules. */
  ground(): Omit<VisibleFiles, 'pace'>;
}

/** After this time the next search scans the folder again and uses the old results meanwhile. */
const freshMs = 5000;
/** After a search without results the next scan comes sooner, once per search: the user may mean a new file. */
const missedMs = 1000;
/** The first search starts after this many files, and again each time their number doubles. */
const firstBatch = 1000;

/** Scans the folder once for a user who types, in small slices, and searches the known paths for every letter. */
export class FileIndex {
  readonly #parts: IndexParts;
  #known: readonly IndexedFile[] = [];
  #coming: IndexedFile[] | undefined;
  #isPartial = false;
  #lookedAt = -Infinity;
  #failure: { readonly error: unknown } | undefined;
  readonly #listeners = new Set<() => void>();

  constructor(parts: IndexParts) {
    this.#parts = parts;
  }

  /** Resolves when no more results can come, or when the signal ends it. */
  async search(search: IndexSearch): Promise<void> {
    const { clock } = this.#parts;
    const { signal } = search;
    if (clock.now() - this.#lookedAt > freshMs) this.#beginLook();
    const begunAt = clock.now();
    let mayMiss = true;
    let isDue = true;
    let wake: (() => void) | undefined;
    const listener = (): void => {
      isDue = true;
      wake?.();
    };
    this.#listeners.add(listener);
    signal.addEventListener('abort', listener);
    try {
      while (!signal.aborted) {
        const isLast = this.#coming === undefined;
        if (this.#failure !== undefined) throw this.#failure.error;
        if (isDue) {
          isDue = false;
          const total = await this.#rank(search);
          if (isLast && total === 0 && mayMiss && this.#lookedAt <= begunAt) {
            mayMiss = false;
            await clock.sleep(Math.max(0, this.#lookedAt + missedMs - clock.now()), signal);
            if (!signal.aborted) this.#beginLook();
            continue;
          }
        }
        if (isLast && !isDue) return;
        if (!isDue && !signal.aborted) await new Promise<void>((resolve) => (wake = resolve));
      }
    } catch (error) {
      if (!(error instanceof WorkStoppedError)) throw error;
    } finally {
      this.#listeners.delete(listener);
      signal.removeEventListener('abort', listener);
    }
  }

  #beginLook(): void {
    if (this.#coming === undefined) this.#look().catch((error: unknown) => (this.#failure = { error }));
  }

  async #rank({ typed, limit, named, signal, found }: IndexSearch): Promise<number> {
    const { clock } = this.#parts;
    const pace = new TimeSlicer(clock, signal);
    const best = new BestFiles(limit);
    const now = clock.now();
    // The first scan shows its partial results; later ones keep the old results until they end.
    const files = this.#known.length === 0 ? (this.#coming ?? []) : this.#known;
    for (let at = 0; at < files.length; at++) {
      if (pace.isDue(1)) await pace.rest();
      const { path, kind, modifiedAt } = files[at]!;
      const rank = rankPath(path, typed);
      if (rank === undefined || (typed === '' && kind === 'folder')) continue;
      const raised = typed === '' ? modifiedAt / 1000 : recent(now - modifiedAt);
      best.add({ path, kind, rank: rank + raised + (named?.has(path) === true ? 400 : 0) });
    }
    if (signal.aborted) return 0;
    found({ files: best.sorted(), total: best.total, isPartial: this.#isPartial || this.#coming !== undefined });
    return best.total;
  }

  async #look(): Promise<void> {
    const { clock, ground } = this.#parts;
    const coming: IndexedFile[] = [];
    this.#coming = coming;
    let next = firstBatch;
    try {
      const entries = visibleFiles({ ...ground(), pace: new TimeSlicer(clock, new AbortController().signal) });
      for (;;) {
        const { done, value } = await entries.next();
        if (done === true) {
          this.#isPartial = value;
          break;
        }
        const { inside: path, kind, modifiedAt } = value;
        coming.push({ path, kind, modifiedAt });
        if (coming.length < next || this.#known.length > 0) continue;
        next *= 2;
        this.#tell();
      }
    } finally {
      this.#known = coming;
      this.#coming = undefined;
      this.#lookedAt = clock.now();
      this.#tell();
    }
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** People usually mean recently changed files. The bonus stays below the gap between a better and a worse match. */
function recent(ageMs: number): number {
  const hours = ageMs / 3_600_000;
  return hours < 1 ? 300 : hours < 24 ? 200 : hours < 24 * 7 ? 100 : 0;
}
