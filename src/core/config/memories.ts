import { defined } from '../../base/objects.ts';
import { type GivenGates, isGateOpen } from './features.ts';
import type { GivenValues } from './keys/key-table.ts';

/** When notes are written about earlier threads, and by which model. */
export interface MemoryRules {
  /** A thread that is older is left alone. */
  readonly maxAgeMs: number;
  /** A thread that was written to later may go on. */
  readonly minIdleMs: number;
  readonly perStart: number;
  /** How many notes are brought together at once. */
  readonly mostNotes: number;
  /** Notes about a thread that was not used for so long are left out then. */
  readonly maxUnusedMs: number;
  /** A thread that has heard from the web or from MCP servers is left alone. */
  readonly skipsExternal: boolean;
  /** Absent: that of the thread. */
  readonly extractModel?: string;
  readonly consolidationModel?: string;
}

type MemoryKeys = NonNullable<GivenValues['memories']>;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

export function usesMemories(gates: GivenGates, keys: MemoryKeys | undefined): boolean {
  return isGateOpen('memories', gates) && keys?.useMemories !== false;
}

export function writesMemories(gates: GivenGates, keys: MemoryKeys | undefined): boolean {
  return isGateOpen('memories', gates) && keys?.generateMemories !== false;
}

/** A number beyond what makes sense counts as the nearest one that does. */
export function memoryRules(keys: MemoryKeys = {}): MemoryRules {
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

function within(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
