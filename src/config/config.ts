import { defaultShellEnvironmentPolicy, type ShellEnvironmentPolicy } from '../policy/shell-environment-policy.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { ApprovalPolicy } from '../protocol/permission-profile.ts';
import { camelCased } from './camel-case.ts';
import { checkValues } from './check-values.ts';
import type { ConfigProblem } from './config-problem.ts';
import { type ConfiguredProvider, type GivenValues, keyTable } from './key-table.ts';
import { mergeValues } from './merge-values.ts';

/** The values of one source. Paths in it are absolute already. */
export interface ConfigLayer {
  readonly name: 'user' | 'flags';
  /** What messages point to: a file, or the flags. */
  readonly source: string;
  readonly values: JsonObject;
}

/** What commands may do besides reading when the sandbox mode is `workspace-write`. */
export interface SandboxWorkspaceWrite {
  readonly writableRoots: readonly string[];
  readonly networkAccess: boolean;
  readonly excludeTmpdirEnvVar: boolean;
  readonly excludeSlashTmp: boolean;
}

/**
 * All layers as one value. A key without a default is absent when nobody set it; `sandboxMode` is one of them, because
 * its default depends on the project.
 */
export interface Config extends Omit<GivenValues, keyof Defaulted>, Defaulted {
  /**
   * Dotted keys that the flags set. When a thread is resumed, a flag beats what the thread had, and what the thread had
   * beats the file.
   */
  readonly setByFlags: ReadonlySet<string>;
  /** The file of the user layer, for messages that tell the user where to write. */
  readonly userFile?: string;
}

interface Defaulted {
  readonly modelProvider: string;
  readonly approvalPolicy: ApprovalPolicy;
  readonly sandboxWorkspaceWrite: SandboxWorkspaceWrite;
  readonly shellEnvironmentPolicy: ShellEnvironmentPolicy;
  readonly projectDocMaxBytes: number;
  readonly projectDocFallbackFilenames: readonly string[];
  readonly projectRootMarkers: readonly string[];
  readonly modelProviders: Readonly<Record<string, ConfiguredProvider>>;
}

const defaults: Defaulted = {
  modelProvider: 'openai',
  approvalPolicy: 'on-request',
  sandboxWorkspaceWrite: {
    writableRoots: [],
    networkAccess: false,
    excludeTmpdirEnvVar: false,
    excludeSlashTmp: false,
  },
  shellEnvironmentPolicy: defaultShellEnvironmentPolicy,
  projectDocMaxBytes: 32_768,
  projectDocFallbackFilenames: [],
  projectRootMarkers: ['.git'],
  modelProviders: {},
};

/**
 * The layers, later ones over earlier ones, as one value. What is at fault is left out of `config` and told in
 * `problems`; a caller that finds an error there must not go on.
 */
export function readConfig(layers: readonly ConfigLayer[]): {
  readonly config: Config;
  readonly problems: readonly ConfigProblem[];
} {
  const checked = layers.map((layer) => ({ layer, ...checkValues(keyTable, layer.values, layer.source) }));
  const given = camelCased(keyTable, checked.map(({ values }) => values).reduce(mergeValues, {}));
  const userFile = layers.findLast((layer) => layer.name === 'user')?.source;
  const config: Config = {
    ...defaults,
    ...given,
    sandboxWorkspaceWrite: { ...defaults.sandboxWorkspaceWrite, ...given.sandboxWorkspaceWrite },
    shellEnvironmentPolicy: { ...defaults.shellEnvironmentPolicy, ...given.shellEnvironmentPolicy },
    setByFlags: new Set(checked.flatMap(({ layer, keys }) => (layer.name === 'flags' ? keys : []))),
    ...(userFile === undefined ? {} : { userFile }),
  };
  return { config, problems: checked.flatMap(({ problems }) => problems) };
}
