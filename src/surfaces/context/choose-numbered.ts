import type { Outcome } from '../../protocol/outcome.ts';
import { plural } from '../wording/number-words.ts';

/** One of the requests or checkpoints of a thread, counted from 1. */
export function chooseNumbered<Each extends object>(
  noun: 'request' | 'checkpoint',
  all: readonly Each[],
  asked: number | 'last',
  whenNone: string,
): Each | Outcome {
  const next = all.length === 0 ? whenNone : `Name one from 1 to ${all.length}, or last.`;
  const none = { code: `no-${noun}`, message: `The thread has ${plural(all.length, noun)}.`, next };
  return (asked === 'last' ? all.at(-1) : all[asked - 1]) ?? none;
}
