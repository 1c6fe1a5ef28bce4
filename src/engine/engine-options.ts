import { isAbsolute } from 'node:path';
import {
  stringOption,
  choiceOption,
  booleanOption,
  jsonObjectOption,
  listOption,
  functionOption,
  nonBlankStringOption,
  recordOption,
  objectWithMethods,
} from '../core/envelope/read-options.ts';
import type { OptionProblem, OptionReaders, OptionType } from '../core/envelope/read-options.ts';
import type { ClientFacts } from '../core/envelope/facts.ts';
import type { ConfigChoices, ConfigOverrides } from '../adapters/gather/config/config-layers.ts';
import type { WireFormat } from '../adapters/model/http/http-client.ts';
import type { Blobs, RolloutStore, Seals, ThreadDirectory, ThreadStore } from '../ports/thread-store.ts';
import type { SnapshotContents } from '../ports/workspace.ts';
import { inspectEntry } from '../adapters/disk/file-system.ts';
import { toAbsolutePath } from '../adapters/gather/config/config-file.ts';
import { defined, notPlain, plainCopy } from '../base/objects.ts';
import { isJsonObject } from '../protocol/json.ts';
import type { EnvironmentVariables } from '../protocol/shell.ts';

/**
 * Options for all threads of an engine, given by the program that loads it; the engine reads nothing else from the
 * process. Options of one thread are given when it is opened.
 */
export interface EngineOptions extends ConfigChoices {
  readonly env: EnvironmentVariables;
  readonly client: Omit<ClientFacts, 'threadSource'>;
  /** Keeps the threads. Default: the files of the home, which Codex uses as well. */
  readonly store?: ThreadStore;
  /** Proves which lines of `store` the engines wrote; the same for all of them. Refused without a store. */
  readonly seals?: Seals;
  /** Additional wire formats: a provider whose `wire_api` names one uses it. */
  readonly formats?: readonly WireFormat[];
  /**
   * Lets Landlock hold commands where bubblewrap cannot. It protects less, so set it only if the user agreed. Absent:
   * `sandbox_fallback` of the user's configuration decides; projects cannot.
   */
  readonly sandboxFallback?: 'landlock';
  /** Files of the embedding program, such as its token, closed to commands. Relative to `cwd`; `~/` is `osHome`. */
  readonly secretFiles?: readonly string[];
}

/** Copied, so that later changes of the process have no effect. */
export const variablesOption: OptionType<EnvironmentVariables> = {
  expected: 'an object of texts, such as process.env',
  read(given) {
    if (!isJsonObject(given)) return undefined;
    const copy = { ...given };
    const isText = (value: unknown): boolean => value === undefined || typeof value === 'string';
    return Object.values(copy).every(isText) ? (copy as EnvironmentVariables) : undefined;
  },
};

/** Faults in single keys are reported with the other configuration faults. */
export const configOption: OptionType<ConfigOverrides> = {
  expected: 'an object with keys of config.toml, or a list of key=value',
  read(given) {
    const copy = plainCopy(given);
    if (copy === notPlain) return undefined;
    return Array.isArray(copy) ? overrides.read(copy) : jsonObjectOption.read(copy);
  },
};

const overrides: OptionType<Extract<ConfigOverrides, readonly unknown[]>> = listOption(
  {
    expected: 'key=value, or an object with path and value',
    read(given) {
      if (typeof given === 'string') return given;
      if (!isJsonObject(given)) return undefined;
      const { path, value, foreign, ofCall, written, ...others } = given;
      if ((foreign !== undefined && foreign !== true) || (ofCall !== undefined && ofCall !== true)) return undefined;
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

const paths = listOption(nonBlankStringOption, 'a list of paths');
const method = { type: functionOption<never>(), required: true } as const;
const optionalMethod = { type: functionOption<never>() };

const rollouts = objectWithMethods<RolloutStore>('a store of rollouts', {
  create: method,
  fork: method,
  open: method,
  read: method,
  readBack: method,
  readTail: optionalMethod,
  current: method,
  aside: optionalMethod,
  hold: method,
});

const directory = objectWithMethods<ThreadDirectory>('a directory of threads', {
  list: method,
  search: method,
  summary: method,
  choose: method,
  rename: method,
  changed: optionalMethod,
});

const blobs = objectWithMethods<Blobs>('a store of blobs', { keep: method, load: method });
const contents = objectWithMethods<SnapshotContents>('a store of snapshot contents', { of: method });

const storeOption = objectWithMethods<ThreadStore>('an object with rollouts, directory, blobs and contents', {
  rollouts: { type: rollouts, required: true },
  directory: { type: directory, required: true },
  blobs: { type: blobs, required: true },
  contents: { type: contents, required: true },
});

/** In the order of the documentation. */
export const engineOptions = {
  env: { type: variablesOption, about: 'The environment variables that Capstan may see.', required: true },
  osHome: { type: nonBlankStringOption, about: "The user's home folder.", required: true },
  cwd: { type: nonBlankStringOption, about: 'The folder where relative paths in `config` start.', required: true },
  client: {
    type: recordOption<EngineOptions['client']>('an object with name, version and source', {
      name: { type: nonBlankStringOption, required: true },
      version: { type: stringOption, required: true },
      source: { type: nonBlankStringOption, required: true },
    }),
    about: 'Your program: `name`, `version` and `source`, which is `cli` for a program that a person starts.',
    required: true,
  },
  config: { type: configOption, about: 'Configuration keys by their names in config.toml, for all threads.' },
  profile: { type: nonBlankStringOption, about: 'A configuration profile, by its name.' },
  strictConfig: { type: booleanOption, about: 'Refuses unknown keys in configuration files.' },
  ignoreUserConfig: { type: booleanOption, about: 'Does not read config.toml of the user.' },
  ignoreRules: { type: booleanOption, about: 'Does not read rules of the user and of projects.' },
  addDirectories: { type: paths, about: 'Folders that commands may write besides the workspace.' },
  systemFolders: { type: paths, about: 'Where the configuration files of the machine are.' },
  store: { type: storeOption, about: 'Where threads are kept.' },
  seals: {
    type: objectWithMethods<Seals>('an object with seal, holds and problem', {
      seal: method,
      holds: method,
      problem: method,
      otherKeys: { type: choiceOption('possible') },
    }),
    about: 'Proves which lines of `store` your engines wrote.',
  },
  formats: {
    type: listOption(
      objectWithMethods<WireFormat>('a wire format', {
        name: { type: nonBlankStringOption, required: true },
        encoder: method,
        everyEncoder: optionalMethod,
        client: method,
        capabilities: method,
      }),
      'a list of wire formats',
    ),
    about: 'Wire formats of your own.',
  },
  sandboxFallback: {
    type: choiceOption('landlock'),
    about: 'Landlock may hold commands where bubblewrap cannot; set it only if the user agreed.',
  },
  secretFiles: { type: paths, about: 'Files that commands can neither read nor change.' },
} as const satisfies OptionReaders<EngineOptions>;

/** Makes every path absolute. Rejects a path that cannot be meant as written: it would protect or grant nothing. */
export function withAbsolutePaths(options: EngineOptions): EngineOptions | OptionProblem {
  const { cwd: base, osHome } = options;
  for (const [key, folder] of Object.entries({ osHome, cwd: base }))
    if (!isAbsolute(folder)) return oddPath(key, folder, 'is not an absolute path');
  const whole: { -readonly [Key in (typeof pathLists)[number]]?: readonly string[] } = {};
  for (const key of pathLists) {
    const given = options[key];
    if (given === undefined) continue;
    const paths = given.map((path) => String(toAbsolutePath(path, { base, osHome })));
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
  if (/[*?[\]{}]/.test(written) && inspectEntry(path).kind === 'missing')
    return 'is a pattern, and no file has that name';
  return undefined;
}

function oddPath(at: string, written: string, what: string): OptionProblem {
  const message = `${at} of Engine.load() ${what}: ${JSON.stringify(written)}.`;
  return { code: 'option-wrong', message, next: 'Name each file or folder by its whole path.' };
}
