import type { ThreadParts } from '../../thread/parts/parts.ts';

type AroundTurns = Pick<ThreadParts, 'beforeTurn' | 'problemsNow' | 'release'>;

/** What is done before and in each turn and at the end, for each of them in turn. */
export function aroundTurns(all: readonly (AroundTurns | undefined)[]): Partial<AroundTurns> {
  const there = all.filter((each) => each !== undefined);
  if (there.length === 0) return {};
  return {
    async beforeTurn(settings, watch) {
      for (const each of there) await each.beforeTurn?.(settings, watch);
    },
    problemsNow: () => there.flatMap((each) => each.problemsNow?.() ?? []),
    async release() {
      for (const each of there.toReversed()) await each.release?.();
    },
  };
}
