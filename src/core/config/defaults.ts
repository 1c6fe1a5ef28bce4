import { defaultShellEnvironmentPolicy } from '../policy/environment/shell-environment-policy.ts';
import type { ShellEnvironmentPolicy } from '../policy/environment/shell-environment-policy.ts';
import { isJsonObject, type JsonObject } from '../../protocol/json.ts';
import type { ApprovalPolicy, SandboxMode } from '../../protocol/permissions.ts';
import type { ConfigLayer } from './layer-order.ts';
import type { GivenConfigValues } from './keys/key-table.ts';
import type { ProjectTrust } from './project-trust.ts';

export interface AnswerLimits {
  readonly maxItems: number;
  /** Counted as received over the network. */
  readonly maxBytes: number;
}

export interface UndoSettings {
  readonly enabled: boolean;
  readonly maxFileBytes: number;
  /** For all snapshots of one workspace. One snapshot adds at most half of it. */
  readonly maxTotalBytes: number;
}

export const defaultUndo: UndoSettings = { enabled: true, maxFileBytes: 10 * 1024 ** 2, maxTotalBytes: 1024 ** 3 };
export const defaultAnswerLimits: AnswerLimits = { maxItems: 10_000, maxBytes: 64 * 1024 ** 2 };
/** `maxBytes`: counted as received over the network. */
export const defaultCompactionLimits = { maxBytes: 8 * 1024 ** 2, timeoutMs: 10 * 60_000 };
type CompactionStrategy = 'auto' | 'structured' | 'plain' | 'remote';

export interface Defaults {
  readonly modelProvider: string;
  readonly approvalPolicy: ApprovalPolicy;
  readonly sandboxMode: SandboxMode;
  readonly sandboxWorkspaceWrite: Required<NonNullable<GivenConfigValues['sandboxWorkspaceWrite']>>;
  readonly shellEnvironmentPolicy: ShellEnvironmentPolicy;
  readonly blobs: { readonly maxBytes: number };
  readonly answer: AnswerLimits;
  readonly compaction: Readonly<typeof defaultCompactionLimits> & { readonly strategy?: CompactionStrategy };
  readonly undo: UndoSettings;
  readonly allowLoginShell: boolean;
  readonly projectDocMaxBytes: number;
  readonly projectDocFallbackFilenames: readonly string[];
  readonly projectRootMarkers: readonly string[];
}

const builtIn = {
  modelProvider: 'openai',
  approvalPolicy: 'on-request',
  sandboxWorkspaceWrite: {
    writableRoots: [],
    networkAccess: false,
    excludeTmpdirEnvVar: false,
    excludeSlashTmp: false,
  },
  shellEnvironmentPolicy: defaultShellEnvironmentPolicy,
  blobs: { maxBytes: 1024 ** 3 },
  answer: defaultAnswerLimits,
  compaction: defaultCompactionLimits,
  undo: defaultUndo,
  allowLoginShell: true,
  projectDocMaxBytes: 32_768,
  projectDocFallbackFilenames: [],
  projectRootMarkers: ['.git'],
} as const satisfies Omit<Defaults, 'sandboxMode'>;

/** An untrusted project must never get more than an undecided one. */
const byTrust = {
  trusted: { sandboxMode: 'workspace-write' },
  untrusted: { sandboxMode: 'read-only', approvalPolicy: 'untrusted' },
  unknown: { sandboxMode: 'read-only' },
} as const satisfies Readonly<Record<ProjectTrust, Partial<Defaults>>>;

export const defaultsFor = (trust: ProjectTrust): Defaults => ({ ...builtIn, ...byTrust[trust] });

const builtInShares = {
  autoCompactPercent: 90,
  reservePercent: 10,
  skillsPercent: 2,
  memoryPercent: 70,
  baselineTokens: 12_000,
} as const;

export type DefaultWindowShares = { readonly [Key in keyof typeof builtInShares]: number };

/** If only one of compaction and reserve is chosen, the other adapts to it. */
export function defaultWindowShares(chosen: Partial<DefaultWindowShares> = {}): DefaultWindowShares {
  const { autoCompactPercent: compact = 0, reservePercent: reserve = 0 } = chosen;
  return {
    ...builtInShares,
    reservePercent: Math.min(builtInShares.reservePercent, 100 - compact),
    autoCompactPercent: Math.min(builtInShares.autoCompactPercent, 100 - reserve),
  };
}

/** Values that surfaces show for unset keys. The code that reads these keys needs no such default. */
const impliedValues = {
  modelAutoCompactTokenLimitScope: 'total',
  approvalsReviewer: 'user',
  compaction: { strategy: 'auto', ...builtIn.compaction },
  includePermissionsInstructions: true,
  includeCollaborationModeInstructions: true,
  includeEnvironmentContext: true,
  includeAppsInstructions: true,
} as const;

/** The defaults as layers, for surfaces that show where a value comes from. */
export function defaultLayers(trust: ProjectTrust, window: Partial<DefaultWindowShares> = {}): readonly ConfigLayer[] {
  const values = snakeCased({ ...builtIn, ...impliedValues, window: defaultWindowShares(window) });
  return [
    { name: 'default', source: 'built in', values },
    { name: 'default', source: `trust: ${trust}`, values: snakeCased(byTrust[trust]) },
  ];
}

/** No default holds a user-defined name, so every key can be respelt. */
function snakeCased(values: object): JsonObject {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      isJsonObject(value) ? snakeCased(value) : value,
    ]),
  );
}
