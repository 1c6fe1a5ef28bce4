import { capstan } from './contenders/capstan.ts';
import { codex, codexLean } from './contenders/codex.ts';
import type { Contender } from './contenders/contender.ts';
import { floor, floorSandboxed } from './contenders/floor.ts';
import { pi } from './contenders/pi.ts';
import { type Exchange, exchangesOf, longTurn } from './history/exchange.ts';
import type { MarkId } from './report/marks.ts';

type Effort = 'full' | 'quick';

/** One kind of turn, run by several contenders in turn. */
export interface Scenario {
  readonly id: string;
  readonly title: string;
  /** The history of the thread that is resumed; absent for a new thread. */
  history?(): readonly Exchange[];
  readonly calls: Readonly<Record<Effort, number>>;
  readonly repetitions: Readonly<Record<Effort, number>>;
  /** Capstan comes first: the floor sends its bytes. */
  readonly contenders: readonly Contender[];
  /** Which marks come from it. */
  readonly marks: {
    readonly firstArrival?: MarkId;
    readonly firstBytes?: MarkId;
    readonly roundTrip?: MarkId;
    readonly peakMemory?: MarkId;
    readonly cpu?: MarkId;
  };
}

const all = [capstan, codex, codexLean, pi, floorSandboxed, floor];
/** Without calls the floors do the same. */
const distinct = [capstan, codex, codexLean, pi, floor];
const none = { full: 0, quick: 0 };
const turn = { calls: { full: 200, quick: 30 }, repetitions: { full: 5, quick: 1 }, contenders: all };

const newThread: Scenario = {
  id: 'start',
  title: 'new thread',
  calls: none,
  repetitions: { full: 20, quick: 5 },
  contenders: distinct,
  marks: { firstArrival: 'start', firstBytes: 'first-request' },
};

const shortHistory: Scenario = {
  id: 'turn-10k',
  title: 'turn with 10 KB of history',
  history: () => exchangesOf(10_000),
  ...turn,
  marks: { roundTrip: 'round-trip-10k', peakMemory: 'memory-10k', cpu: 'cpu-10k' },
};

const longHistory: Scenario = {
  id: 'turn-1m',
  title: 'turn with 1 MB of history',
  history: () => exchangesOf(1_000_000),
  ...turn,
  marks: { roundTrip: 'round-trip-1m', peakMemory: 'memory-1m', cpu: 'cpu-1m' },
};

const longThread: Scenario = {
  id: 'resume',
  title: 'resume of a 10 MB thread',
  // The model sees two fifths of a rollout in Codex's format.
  history: () => exchangesOf(4_000_000),
  calls: none,
  repetitions: { full: 10, quick: 3 },
  contenders: distinct,
  marks: { firstArrival: 'resume' },
};

const longTurnThread: Scenario = {
  id: 'resume-turn',
  title: 'resume of a thread of one long turn',
  history: () => [longTurn({ calls: 300, outputBytes: 30_000 })],
  calls: none,
  repetitions: { full: 10, quick: 3 },
  contenders: distinct,
  marks: { firstArrival: 'resume-turn', peakMemory: 'memory-resume' },
};

/** Those in one group take turns with each other. */
export const scenarioGroups: readonly (readonly Scenario[])[] = [
  [newThread],
  [shortHistory, longHistory],
  [longThread],
  [longTurnThread],
];

/** A mark that is computed needs the marks that it is computed from. */
export function neededMarks(only: readonly MarkId[]): readonly MarkId[] {
  return only.includes('extra-1m') ? [...only, 'round-trip-10k', 'round-trip-1m'] : only;
}

export function isNeeded({ marks }: Scenario, only: readonly MarkId[]): boolean {
  return only.length === 0 || Object.values(marks).some((mark) => neededMarks(only).includes(mark));
}
