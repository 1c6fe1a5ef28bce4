import { isSameGrant, type RecordedGrant } from './grants.ts';
import type { RecordedPin } from './pins.ts';
import type { RecordedMessage } from './waiting.ts';

/**
 * Notes, messages and grants that a writer leaves out for now, because it cannot prove whose they are. No line ends them:
 * checkpoints carry them on, and a writer that can prove them takes them in.
 */
export interface Withheld {
  readonly pins: readonly RecordedPin[];
  readonly waiting: readonly RecordedMessage[];
  readonly grants: readonly RecordedGrant[];
}

/** The part of a thread's state that this is about. */
type Recorded = Withheld & { readonly withheld?: Withheld };

/** The state without them. A line may bring them back (a checkpoint carries them), so that each fold leaves them out again. */
export function withhold<State extends Recorded>(state: State, withheld: Withheld | undefined): State {
  if (withheld === undefined) return state;
  return {
    ...state,
    pins: without(state.pins, withheld.pins),
    waiting: without(state.waiting, withheld.waiting),
    grants: state.grants.filter((grant) => !withheld.grants.some((each) => isSameGrant(each, grant))),
    withheld,
  };
}

/** What a checkpoint carries: also what is left out for now, in the order in which it came. */
export function withWithheld({ pins, waiting, grants, withheld }: Recorded): Withheld {
  if (withheld === undefined) return { pins, waiting, grants };
  return {
    pins: [...withheld.pins, ...pins],
    waiting: [...withheld.waiting, ...waiting],
    grants: [...withheld.grants, ...grants],
  };
}

function without<Said extends { readonly id: string }>(all: readonly Said[], some: readonly Said[]): readonly Said[] {
  return all.filter(({ id }) => !some.some((each) => each.id === id));
}
