import { defined } from '../../base/objects.ts';
import { type GivenFeatures, isGateOpen } from './features.ts';
import type { GivenConfigValues } from './keys/key-table.ts';

export interface MemorySettings {
  readonly maxAgeMs: number;
  /** A thread written to more recently may still continue. */
  readonly minIdleMs: number;
  readonly perStart: number;
  readonly mostNotes: number;
  /** Notes about threads unused for longer are dropped in the merge. */
  readonly maxUnusedMs: number;
  /** Skips threads that received content from the web or from MCP servers. */
  readonly skipsExternal: boolean;
  /** Defaults to the thread's model. */
  readonly extractModel?: string;
  readonly consolidationModel?: string;
}

type MemoryKeys = NonNullable<GivenConfigValues['memories']>;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
export const usesMemories = (gates: GivenFeatures, keys: MemoryKeys | undefined): boolean =>
  isGateOpen('memories', gates) && keys?.useMemories !== false;
export const writesMemories = (gates: GivenFeatures, keys: MemoryKeys | undefined): boolean =>
  isGateOpen('memories', gates) && keys?.generateMemories !== false;

/** Out-of-range numbers are clamped. */
export function memorySettings(keys: MemoryKeys = {}): MemorySettings {
  return {
    maxAgeMs: dayMs * within(keys.maxRolloutAgeDays ?? 10, 0, 90),
    minIdleMs: hourMs * within(keys.minRolloutIdleHours ?? 6, 1, 48),
    perStart: within(keys.maxRolloutsPerStartup ?? 2, 1, 128),
    mostNotes: within(keys.maxRawMemoriesForConsolidation ?? 256, 1, 4096),
    maxUnusedMs: dayMs * within(keys.maxUnusedDays ?? 30, 0, 365),
    skipsExternal: keys.disableOnExternalContext ?? false,
    ...defined({ extractModel: keys.extractModel, consolidationModel: keys.consolidationModel }),
  };
}

const within = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value));
