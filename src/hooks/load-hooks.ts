import type { ConfigProblem } from '../config/config-problem.ts';
import { type JsonObject, objectAt, stringAt } from '../protocol/json.ts';
import type { HookDefinition, HookSource, HookTrust, KnownHook } from './hook-definition.ts';
import { readMatchers } from './matcher.ts';
import { readHooksFile } from './read-hooks-file.ts';
import { readHooks } from './read-hooks.ts';

/** Where hooks were found, in the order in which they run. */
export interface HookPlaces {
  readonly places: readonly (HookSource & {
    /** What a configuration file says. Absent: `path` is a `hooks.json`. */
    readonly table?: JsonObject;
  })[];
  /** What the user decided about each, by its key. */
  readonly state: JsonObject;
  /** Whether a file must not be read. */
  denies?(path: string): boolean;
}

export interface LoadedHooks {
  /** All of them, also those that may not run. */
  readonly hooks: readonly KnownHook[];
  readonly problems: readonly ConfigProblem[];
}

export async function loadHooks({ places, state, denies }: HookPlaces): Promise<LoadedHooks> {
  const read = places.map(({ table, ...source }) => {
    if (table === undefined) return readHooksFile(source, denies);
    // Beside the events, a table may say what is decided about hooks.
    const { state: _state, managed_dir: _folder, windows_managed_dir: _other, ...events } = table;
    return readHooks(events, source);
  });
  const patterns = read.flatMap((each) => each.patterns);
  const broken = (await readMatchers(patterns.map(({ matcher }) => matcher))).problems;
  return {
    hooks: read
      .flatMap(({ hooks }) => hooks)
      .filter(({ matcher }) => matcher === undefined || !broken.has(matcher))
      .map((hook) => ({ ...hook, trust: trustIn(state, hook) })),
    problems: [
      ...read.flatMap(({ problems }) => problems),
      ...patterns.flatMap(({ matcher, problem }) => (broken.has(matcher) ? [problem(broken.get(matcher) ?? '')] : [])),
    ],
  };
}

function trustIn(state: JsonObject, { key, hash, source }: HookDefinition): HookTrust {
  if (source.owner === 'managed') return 'managed';
  const decided = objectAt(state, key);
  const trusted = stringAt(decided, 'trusted_hash');
  if (decided?.['enabled'] === false) return 'disabled';
  if (trusted === hash) return 'trusted';
  return trusted === undefined ? 'untrusted' : 'modified';
}

export function mayRun({ trust }: Pick<KnownHook, 'trust'>): boolean {
  return trust === 'managed' || trust === 'trusted';
}
