import { isAbsolute } from 'node:path';
import {
  anyText,
  choiceOf,
  booleanOption,
  jsonObject,
  listOf,
  functionOption,
  nameText,
  type OptionProblem,
  type OptionTable,
  type OptionType,
  recordOf,
  objectWithMethods,
} from '../core/envelope/read-options.ts';
import type { ClientFacts } from '../core/envelope/facts.ts';
import type { ConfigChoices, ConfigOverrides } from '../adapters/gather/config/config-layers.ts';
import type { WireFormat } from '../adapters/model/http/http-client.ts';
import type { Blobs, RolloutStore, Seals, ThreadDirectory, ThreadStore } from '../ports/thread-store.ts';
import type { SnapshotContents } from '../ports/workspace.ts';
import { lookAt } from '../adapters/disk/file-system.ts';
import { absolute } from '../adapters/gather/config/config-file.ts';
import { defined, notPlain, plainCopy } from '../base/objects.ts';
import { isJsonObject } from '../protocol/json.ts';
import type { Variables } from '../protocol/shell.ts';

/**
 * Options for all threads of an engine, given by the program that loads it; the engine reads nothing else from the
 * process. Options of one thread are given when it is opened.
 */
export interface EngineOptions extends ConfigChoices {
  readonly env: Variables;
  readonly client: Omit<ClientFacts, 'threadSource'>;
  /** Keeps the threads. Default: the files of the home, which Codex uses as well. */
  readonly store?: ThreadStore;
  /**
   * Proves which lines of `store` the engines wrote; the same for all of them. The files of a home use the key of that
   * home, and seals without a store are refused.
   */
  readonly seals?: Seals;
  /** Additional wire formats: a provider whose `wire_api` names one uses it. */
  readonly formats?: readonly WireFormat[];
  /**
   * Lets Landlock hold commands where bubblewrap cannot. It protects less, so set it only if the user agreed. Absent:
   * `sandbox_fallback` of the user's configuration decides; projects cannot.
   */
  readonly sandboxFallback?: 'landlock';
  /**
   * Files of the embedding program, such as its access token, that commands can neither read nor change. Relative paths
   * start from `cwd`, and `~/` is `osHome`.
   */
  readonly secretFiles?: readonly string[];
}

/** Copied, so that later changes of the process have no effect. */
export const variables: OptionType<Variables> = {
  expected: 'an object of texts, such as process.env',
  read(given) {
    if (!isJsonObject(given)) return undefined;
    const copy = Object.entries(given);
    const isText = ([, value]: (typeof copy)[number]): boolean => value === undefined || typeof value === 'string';
    return copy.every(isText) ? (Object.fromEntries(copy) as Variables) : undefined;
  },
};

/** Faults in single keys are reported with the other configuration faults. */
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
      create: { type: functionOption(), about: 'Begins a thread.', required: true },
      fork: { type: functionOption(), about: 'Begins a thread at a place of another.', required: true },
      open: { type: functionOption(), about: 'Takes the lease of a thread.', required: true },
      read: { type: functionOption(), about: 'Reads lines.', required: true },
      readBack: { type: functionOption(), about: 'Reads lines, the newest first.', required: true },
      readTail: { type: functionOption(), about: 'Reads the newest lines.' },
      current: { type: functionOption(), about: 'Describes a thread.', required: true },
      aside: { type: functionOption(), about: 'Lists what was set aside.' },
      hold: { type: functionOption(), about: 'Holds a thread for work on the whole.', required: true },
    }),
    about: 'Keeps rollouts.',
    required: true,
  },
  directory: {
    type: objectWithMethods<ThreadDirectory>('a directory of threads', {
      list: { type: functionOption(), about: 'Lists threads.', required: true },
      search: { type: functionOption(), about: 'Searches threads.', required: true },
      summary: { type: functionOption(), about: 'Describes a thread.', required: true },
      choose: { type: functionOption(), about: 'Finds the thread that a user means.', required: true },
      rename: { type: functionOption(), about: 'Names a thread.', required: true },
      changed: { type: functionOption(), about: 'Is notified of changes.' },
    }),
    about: 'Lists threads.',
    required: true,
  },
  blobs: {
    type: objectWithMethods<Blobs>('a store of blobs', {
      keep: { type: functionOption(), about: 'Keeps bytes.', required: true },
      load: { type: functionOption(), about: 'Loads bytes.', required: true },
    }),
    about: 'Keeps blobs.',
    required: true,
  },
  contents: {
    type: objectWithMethods<SnapshotContents>('a store of snapshot contents', {
      of: { type: functionOption(), about: 'The contents of a workspace.', required: true },
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
  strictConfig: { type: booleanOption, about: 'Refuses unknown keys in configuration files.' },
  ignoreUserConfig: { type: booleanOption, about: 'Does not read config.toml of the user.' },
  ignoreRules: { type: booleanOption, about: 'Does not read rules of the user and of projects.' },
  addDirectories: { type: paths, about: 'Folders that commands may write besides the workspace.' },
  systemFolders: { type: paths, about: 'Where the configuration files of the machine are.' },
  store: { type: storeOption, about: 'Where threads are kept.' },
  seals: {
    type: objectWithMethods<Seals>('an object with seal, holds and problem', {
      seal: { type: functionOption(), about: 'Seals a claim.', required: true },
      holds: { type: functionOption(), about: 'Checks a seal.', required: true },
      problem: { type: functionOption(), about: 'Says why the key cannot be used.', required: true },
      otherKeys: { type: choiceOf('possible'), about: 'Engines with other keys may write the store.' },
    }),
    about: 'Proves which lines of `store` your engines wrote.',
  },
  formats: {
    type: listOf(
      objectWithMethods<WireFormat>('a wire format', {
        name: { type: nameText, about: 'As `wire_api` names it.', required: true },
        encoder: { type: functionOption(), about: 'Writes requests.', required: true },
        everyEncoder: { type: functionOption(), about: 'All that encoder may give.' },
        client: { type: functionOption(), about: 'Sends requests.', required: true },
        capabilities: { type: functionOption(), about: 'What a provider can do.', required: true },
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

/** Makes every path absolute. Rejects a path that cannot be meant as written: it would protect or grant nothing. */
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
      const odd = oddityOf(given[at]!, path);
      if (odd !== undefined) return oddPath(`${key}[${at}]`, given[at]!, odd);
    }
    whole[key] = paths;
  }
  return { ...options, ...whole };
}

const pathLists = ['addDirectories', 'systemFolders', 'secretFiles'] as const;

function oddityOf(written: string, path: string): string | undefined {
  if (/^[a-z][a-z0-9+.-]+:\//i.test(written)) return 'is a URL, not a path';
  if (written.includes('\0')) return 'has a NUL character in it';
  if (written.startsWith('~') && !/^~(?:\/|$)/.test(written)) return 'begins with the home of another user';
  // A file may really have such a name.
  if (/[*?[\]{}]/.test(written) && lookAt(path).kind === 'missing') return 'is a pattern, and no file has that name';
  return undefined;
}

function oddPath(at: string, written: string, what: string): OptionProblem {
  const message = `${at} of Engine.load() ${what}: ${JSON.stringify(written)}.`;
  return { code: 'option-wrong', message, next: 'Name each file or folder by its whole path.' };
}
