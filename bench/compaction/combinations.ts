import { behaviours } from './behaviours.ts';
import type { CompactionBenchOptions } from './options.ts';
import { strategies, type Strategy, type Summariser } from './run.ts';
import type { Transcript } from './transcript.ts';
import { transcripts } from './transcripts/all.ts';

export interface Combination {
  readonly transcript: Transcript;
  readonly strategy: Strategy;
  readonly summariser: Summariser;
}

/** The combinations to run: all of them unless something was chosen. */
export function combinations(options: CompactionBenchOptions): readonly Combination[] {
  const wanted = <Value>(chosen: readonly Value[], value: Value): boolean =>
    chosen.length === 0 || chosen.includes(value);
  return strategies
    .filter((strategy) => wanted(options.strategies, strategy))
    .flatMap((strategy) =>
      summarisers(strategy, options).flatMap((summariser) =>
        transcripts
          .filter(({ id }) => wanted(options.transcripts, id))
          .map((transcript) => ({ transcript, strategy, summariser })),
      ),
    );
}

/** Code alone makes a checkpoint when a model says nothing of use, and only then. */
function summarisers(strategy: Strategy, { real, behaviours: chosen }: CompactionBenchOptions): readonly Summariser[] {
  const isMechanical = strategy === 'mechanical';
  if (real !== undefined) return isMechanical ? [] : [{ real }];
  return behaviours
    .filter((behaviour) => (behaviour === 'not at all') === isMechanical)
    .filter((behaviour) => chosen.length === 0 || chosen.includes(behaviour))
    .map((behaviour) => ({ behaviour }));
}
