import { expect } from 'vitest';
import type { ThreadEvent } from '../../../src/protocol/thread-event.ts';

/** The report of a compaction to people: its end, and the reason. */
export type Told = Installed | { readonly failed: string; readonly paused: boolean };

export interface Installed {
  readonly strategy: string;
  readonly requests: number;
  readonly mended: readonly string[];
  /** The code of the reason why the model could not go the way that was wanted. */
  readonly why?: string;
}

/** The model quoted something that the user never wrote. */
export const noMessage =
  'The request that the model quoted is not a message of the user, so the checkpoint names no active task.';

/** Parts of a history that is taken in parts: their number goes by estimates. */
export const aFew = expect.toBeOneOf([2, 3, 4, 5]) as number;

/** In the order of their ends. Each has begun before and ends once, and what went wrong comes with what to do. */
export function toldIn(events: readonly ThreadEvent[]): readonly Told[] {
  const open = new Set<string>();
  const told: Told[] = [];
  for (const event of events) {
    if (event.kind === 'checkpoint-started') open.add(event.id);
    if (event.kind !== 'checkpoint-installed' && event.kind !== 'checkpoint-failed') continue;
    expect(open.delete(event.id), 'it ended once, after it began').toBe(true);
    if (event.kind === 'checkpoint-failed') {
      const { outcome, paused } = event;
      expectWords(outcome);
      told.push({ failed: outcome.code, paused });
    } else {
      const { strategy, requests, mended, why } = event.report;
      if (why !== undefined) expectWords(why);
      told.push({ strategy, requests, mended, ...(why === undefined ? {} : { why: why.code }) });
    }
  }
  expect([...open]).toEqual([]);
  return told;
}

function expectWords({ message, next }: { readonly message: string; readonly next: string }): void {
  expect(message).toMatch(/\w.*\.$/s);
  expect(next).toMatch(/\w.*\.$/s);
}
