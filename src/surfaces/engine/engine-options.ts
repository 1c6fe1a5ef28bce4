import { isAbsolute } from 'node:path';
import {
  anyText,
  choiceOf,
  flag,
  jsonObject,
  listOf,
  method,
  nameText,
  type OptionProblem,
  type OptionTable,
  type OptionType,
  recordOf,
  objectWithMethods,
} from '../../envelope/read-options.ts';
import type { ClientFacts } from '../../envelope/facts.ts';
import type { ConfigChoices, ConfigOverrides } from '../../gather/config/config-layers.ts';
import type { WireFormat } from '../../model/http/wire-format.ts';
import type { Blobs } from '../../ports/blobs.ts';
import type { RolloutStore } from '../../ports/rollout-store.ts';
import type { Seals } from '../../ports/seals.ts';
import type { SnapshotContents } from '../../ports/snapshot-contents.ts';
import type { ThreadDirectory } from '../../ports/thread-directory.ts';
import type { ThreadStore } from '../../ports/thread-store.ts';
import { lookAt } from '../../disk/file-system.ts';
import { absolute } from '../../gather/config/config-paths.ts';
import { defined } from '../../protocol/defined.ts';
import { isJsonObject } from '../../protocol/json.ts';
import { notPlain, plainCopy } from '../../protocol/plain-copy.ts';
import type { Variables } from '../../protocol/variables.ts';

/**
 * What holds for all threads of an engine. The program that loads it gives it, and the engine looks at nothing else of
 * the process. What belongs to one thread is given when that is opened.
 */
export interface EngineOptions extends ConfigChoices {
  readonly env: Variables;
  readonly client: Omit<ClientFacts, 'threadSource'>;
  /** Where threads are kept. Default: the files of the home, which Codex uses as well. */
  readonly store?: ThreadStore;
  /**
   * What proves which lines of `store` its engines wrote: the same for all of them. The files of a home have the key of
   * that home, and seals without a store are refused.
   */
  readonly seals?: Seals;
  /** Wire formats beside the built-in ones: a provider whose `wire_api` has the name of one speaks it. */
  readonly formats?: readonly WireFormat[];
  /**
   * Landlock may hold commands where bubblewrap cannot. It protects less, so say it only if the user agreed. Absent: as
   * `sandbox_fallback` of the user's configuration says; projects have no say.
   */
  readonly sandboxFallback?: 'landlock';
  /**
   * Files of the program that embeds the engine, such as its access token. Commands can neither read nor change them.
   * Relative ones start from `cwd`, and `~/` is `osHome`.
   */
  readonly secretFiles?: readonly string[];
}

/** A copy: what the process sets later does not count. */
export const variables: OptionType<Variables> = {
  expected: 'an object of texts, such as process.env',
  read(given) {
    if (!isJsonObject(given)) return undefined;
    const copy = Object.entries(given);
    const isText = ([, value]: (typeof copy)[number]): boolean => value === undefined || typeof value === 'string';
    return copy.every(isText) ? (Object.fromEntries(copy) as Variables) : undefined;
  },
};

/** What is wrong with single keys is said with the other faults of the configuration. */
export const configOption: OptionType<ConfigOverrides> = {
  expected: 'an object with keys of config.toml, or a list of key=value',
  read(given) {
    const copy = plainCopy(given);
    if (copy === notPlain) return undefined;
    return Array.isArray(copy) ? overrides.read(copy) : jsonObject.read(copy);
  },
};

const overrides: OptionType<Extract<ConfigOverrides, readonly unknown[]>> = listOf(
  {
    expected: 'key=value, or an object with path and value',
    read(given) {
      if (typeof given === 'string') return given;
      if (!isJsonObject(given)) return undefined;
      const { path, value, foreign, ofCall, written, ...others } = given;
      if (foreign !== undefined && foreign !== true) return undefined;
      if (ofCall !== undefined && ofCall !== true) return undefined;
      if (typeof written === 'string' && foreign === true && Object.keys(given).length === 2)
        return { written, foreign };
      if (written !== undefined) return undefined;
      const isPath = Array.isArray(path) && path.length > 0 && path.every((key) => typeof key === 'string');
      return isPath && value !== undefined && Object.keys(others).length === 0
        ? { path, value, ...defined({ foreign, ofCall }) }
        : undefined;
    },
  },
  'a list of key=value',
);

const paths = listOf(nameText, 'a list of paths');

const storeOption = objectWithMethods<ThreadStore>('an object with rollouts, directory, blobs and contents', {
  rollouts: {
    type: objectWithMethods<RolloutStore>('a store of rollouts', {
      create: { type: method(), about: 'Begins a thread.', required: true },
      fork: { type: method(), about: 'Begins a thread at a place of another.', required: true },
      open: { type: method(), about: 'Takes the lease of a thread.', required: true },
      read: { type: method(), about: 'Reads lines.', required: true },
      readBack: { type: method(), about: 'Reads lines, the newest first.', required: true },
      readTail: { type: method(), about: 'Reads the newest lines.' },
      current: { type: method(), about: 'Describes a thread.', required: true },
      aside: { type: method(), about: 'Lists what was set aside.' },
      hold: { type: method(), about: 'Holds a thread for work on the whole.', required: true },
    }),
    about: 'Keeps rollouts.',
    required: true,
  },
  directory: {
    type: objectWithMethods<ThreadDirectory>('a directory of threads', {
      list: { type: method(), about: 'Lists threads.', required: true },
      search: { type: method(), about: 'Searches threads.', required: true },
      summary: { type: method(), about: 'Describes a thread.', required: true },
      choose: { type: method(), about: 'Finds the thread that a user means.', required: true },
      rename: { type: method(), about: 'Names a thread.', required: true },
      changed: { type: method(), about: 'Is notified of changes.' },
    }),
    about: 'Lists threads.',
    required: true,
  },
  blobs: {
    type: objectWithMethods<Blobs>('a store of blobs', {
      keep: { type: method(), about: 'Keeps bytes.', required: true },
      load: { type: method(), about: 'Loads bytes.', required: true },
    }),
    about: 'Keeps blobs.',
    required: true,
  },
  contents: {
    type: objectWithMethods<SnapshotContents>('a store of snapshot contents', {
      of: { type: method(), about: 'The contents of a workspace.', required: true },
    }),
    about: 'Keeps the contents of snapshots.',
    required: true,
  },
});

/** In the order of the documentation. */
export const engineOptions = {
  env: { type: variables, about: 'The environment variables that Capstan may see.', required: true },
  osHome: { type: nameText, about: "The user's home folder.", required: true },
  cwd: { type: nameText, about: 'The folder where relative paths in `config` start.', required: true },
  client: {
    type: recordOf<EngineOptions['client']>('an object with name, version and source', {
      name: { type: nameText, about: 'Its name.', required: true },
      version: { type: anyText, about: 'Its version.', required: true },
      source: { type: nameText, about: 'How the process came to be.', required: true },
    }),
    about: 'Your program: `name`, `version` and `source`, which is `cli` for a program that a person starts.',
    required: true,
  },
  config: { type: configOption, about: 'Configuration keys by their names in config.toml, for all threads.' },
  profile: { type: nameText, about: 'A configuration profile, by its name.' },
  strictConfig: { type: flag, about: 'Refuses unknown keys in configuration files.' },
  ignoreUserConfig: { type: flag, about: 'Does not read config.toml of the user.' },
  ignoreRules: { type: flag, about: 'Does not read rules of the user and of projects.' },
  addDirectories: { type: paths, about: 'Folders that commands may write besides the workspace.' },
  systemFolders: { type: paths, about: 'Where the configuration files of the machine are.' },
  store: { type: storeOption, about: 'Where threads are kept.' },
  seals: {
    type: objectWithMethods<Seals>('an object with seal, holds and problem', {
      seal: { type: method(), about: 'Seals a claim.', required: true },
      holds: { type: method(), about: 'Checks a seal.', required: true },
      problem: { type: method(), about: 'Says why the key cannot be used.', required: true },
      otherKeys: { type: choiceOf('possible'), about: 'Engines with other keys may write the store.' },
    }),
    about: 'Proves which lines of `store` your engines wrote.',
  },
  formats: {
    type: listOf(
      objectWithMethods<WireFormat>('a wire format', {
        name: { type: nameText, about: 'As `wire_api` names it.', required: true },
        encoder: { type: method(), about: 'Writes requests.', required: true },
        everyEncoder: { type: method(), about: 'All that encoder may give.' },
        client: { type: method(), about: 'Sends requests.', required: true },
        capabilities: { type: method(), about: 'What a provider can do.', required: true },
      }),
      'a list of wire formats',
    ),
    about: 'Wire formats of your own.',
  },
  sandboxFallback: {
    type: choiceOf('landlock'),
    about: 'Landlock may hold commands where bubblewrap cannot; set it only if the user agreed.',
  },
  secretFiles: { type: paths, about: 'Files that commands can neither read nor change.' },
} as const satisfies OptionTable<EngineOptions>;

/** The options with every path absolute. A path that cannot be meant as it is written would protect or grant nothing. */
export function withWholePaths(options: EngineOptions): EngineOptions | OptionProblem {
  const { cwd: base, osHome } = options;
  for (const [key, folder] of Object.entries({ osHome, cwd: base }))
    if (!isAbsolute(folder)) return oddPath(key, folder, 'is not an absolute path');
  const whole: { -readonly [Key in (typeof pathLists)[number]]?: readonly string[] } = {};
  for (const key of pathLists) {
    const given = options[key];
    if (given === undefined) continue;
    const paths = given.map((path) => String(absolute(path, { base, osHome })));
    for (const [at, path] of paths.entries()) {
      const written = given[at]!;
      const odd = oddityOf(written, path);
      if (odd !== undefined) return oddPath(`${key}[${at}]`, written, odd);
    }
    whole[key] = paths;
  }
  return { ...options, ...whole };
}

const pathLists = [
  'addDirectories',
  'systemFolders',
  'secretFiles',
] as const satisfies readonly (keyof EngineOptions)[];

function oddityOf(written: string, path: string): string | undefined {
  if (/^[a-z][a-z0-9+.-]+:\//i.test(written)) return 'is a URL, not a path';
  if (written.includes('\0')) return 'has a NUL character in it';
  if (written.startsWith('~') && !/^~(?:\/|$)/.test(written)) return 'begins with the home of another user';
  // A file may have such a name.
  if (/[*?[\]{}]/.test(written) && lookAt(path).kind === 'missing') return 'is a pattern, and no file has that name';
  return undefined;
}

function oddPath(at: string, written: string, what: string): OptionProblem {
  const message = `${at} of Engine.load() ${what}: ${JSON.stringify(written)}.`;
  return { code: 'option-wrong', message, next: 'Name each file or folder by its whole path.' };
}
