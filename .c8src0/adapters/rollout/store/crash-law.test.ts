import { describe, expect, inject, test } from 'vitest';
import fc from 'fast-check';
import type { OpenRefused, Owned, RolloutStore } from '../../../ports/thread-store.ts';
import type { Ordinal, ThreadId } from '../../../protocol/ids.ts';
import type { Line } from '../../../protocol/line.ts';
import { type CrashChoice, SimulatedDisk } from '../../../testing/simulated-disk.ts';
import { createRolloutStore } from './rollout-store.ts';

const id = '01a1dcd3-eee5-7d53-9563-298808fb6396' as ThreadId;
// A home whose folders above are new as well.
const home = '/data/user/home';
const clock = { now: () => Date.parse('2026-11-15T10:00:00.000Z'), sleep: async () => {} };

const storeOn = (disk: SimulatedDisk): RolloutStore =>
  createRolloutStore({ home, files: disk, locks: disk.locks, clock });

type Step =
  | { readonly kind: 'append'; readonly sizes: readonly number[] }
  | { readonly kind: 'durable' }
  | { readonly kind: 'await-durable' }
  | { readonly kind: 'turns'; readonly count: number }
  | { readonly kind: 'fail'; readonly operation: 'append' | 'sync' | 'truncate' | 'syncDirectory' };

/** One life of a writer: what it does, and how it ends. */
interface Life {
  readonly steps: readonly Step[];
  readonly end: 'crash' | 'kill' | 'close' | 'close, crash';
  /** Shares of what is unsafe that survive, taken in turn. */
  readonly shares: readonly number[];
}

const append: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('append'),
  sizes: fc.array(fc.constantFrom(0, 3, 300, 70_000), { minLength: 1, maxLength: 3 }),
});
const otherSteps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constantFrom('durable' as const, 'await-durable' as const) }),
  fc.record({ kind: fc.constant('turns' as const), count: fc.nat(15) }),
);
const faults: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('fail' as const),
  operation: fc.constantFrom('append' as const, 'sync' as const, 'truncate' as const, 'syncDirectory' as const),
});
const lives = (steps: fc.Arbitrary<Step>): fc.Arbitrary<readonly Life[]> =>
  fc.array(
    fc.record({
      steps: fc.array(steps, { maxLength: 14 }),
      end: fc.constantFrom('crash', 'kill', 'close', 'close, crash'),
      shares: fc.array(fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true })), { minLength: 1 }),
    }),
    { minLength: 2, maxLength: 4 },
  );

function choiceOf(shares: readonly number[]): CrashChoice {
  let asked = 0;
  return ({ most }) => {
    asked += 1;
    return Math.min(most, Math.floor((shares[asked % shares.length] ?? 0) * (most + 1)));
  };
}

/** Runs the steps, and says how many lines a resolved `durable` has promised. */
async function live(
  owned: Owned,
  disk: SimulatedDisk,
  steps: readonly Step[],
  texts: string[],
  promise: (count: number) => void,
) {
  for (const step of steps) {
    switch (step.kind) {
      case 'append': {
        const made = step.sizes.map((size, index) => `${texts.length + index}:${'é'.repeat(size)}`);
        owned.append(made.map((text) => ({ type: 'event_msg', payload: { text } })));
        texts.push(...made);
        break;
      }
      case 'durable':
      case 'await-durable': {
        const count = texts.length;
        const served = owned.durable().then(
          () => promise(count),
          () => undefined,
        );
        if (step.kind === 'await-durable') await served;
        break;
      }
      case 'turns':
        for (let turn = 0; turn < step.count; turn += 1) await Promise.resolve();
        break;
      case 'fail':
        disk.failNext(step.operation, 'EIO');
    }
  }
}

async function linesOf(store: RolloutStore): Promise<Line[]> {
  const lines: Line[] = [];
  const reading = store.read(id, { from: 0 as Ordinal });
  for (;;) {
    const next = await reading.next();
    if (next.done !== true) lines.push(next.value);
    else {
      expect(next.value).toEqual({ skipped: 0 });
      return lines;
    }
  }
}

/** A failure that was meant for an earlier call may hit the opening; then the user tries again. */
async function openWhenItWorks(store: RolloutStore): Promise<Owned | OpenRefused> {
  for (let tries = 0; tries < 20; tries += 1) {
    try {
      return await store.open(id);
    } catch (error) {
      expect(error).toMatchObject({ code: 'disk-failed' });
    }
  }
  throw new Error('opening never worked');
}

async function holds(all: readonly Life[]): Promise<void> {
  let disk = new SimulatedDisk();
  let owned = await storeOn(disk).create(id, { id });
  const texts: string[] = [];
  let acknowledged = 0;
  /** Lines that were appended and taken back, or not found again, since something was last safe: a crash may bring them back. */
  let gone: (readonly string[])[] = [];
  const promise = (count: number): void => {
    acknowledged = Math.max(acknowledged, count);
    gone = [];
  };
  for (const { steps, end, shares } of all) {
    if (owned.kind !== 'owned') throw new Error(owned.message);
    // Now and then a sync takes its time, so that lines and crashes fall into it.
    disk.slow = async () => {
      for (let turn = 0; turn < 3; turn += 1) await Promise.resolve();
    };
    const before = texts.length;
    await live(owned, disk, steps, texts, promise);
    const whole = texts.length;
    if (end.startsWith('close')) {
      await owned.close().then(
        // Closing a thread to which nothing was added promises nothing.
        () => (whole > before ? promise(whole) : undefined),
        () => undefined,
      );
    }
    if (end === 'kill') disk = disk.kill();
    else if (end !== 'close') disk = disk.crash(choiceOf(shares));

    const store = storeOn(disk);
    owned = await openWhenItWorks(store);
    if (owned.kind === 'refused') {
      // Nothing was promised, and nothing is there: no file, or one without a whole line.
      const isGone = owned.code === 'thread-unknown' || owned.code === 'thread-unreadable';
      if (acknowledged > 0 || !isGone) throw new Error(`${acknowledged} lines were promised. ${owned.message}`);
      return;
    }
    const lines = await linesOf(store);
    const bytes = Buffer.from(disk.contents(owned.location) ?? []);
    expect(bytes.at(-1)).toBe(0x0a);
    expect(lines.map((line) => line.ordinal)).toEqual(lines.map((_, index) => index));
    expect(lines[0]?.type).toBe('session_meta');
    const found = lines.slice(1).map((line) => line.payload['text']);
    expect(found.length).toBeGreaterThanOrEqual(acknowledged);
    const sources = [texts, ...gone].map((source) => source.slice(0, found.length));
    expect(sources).toContainEqual(found);
    if (found.length < texts.length) gone.push([...texts]);
    texts.splice(0, texts.length, ...found.map(String));
    // The next writer builds on what it found: nothing of its own is safe before that is.
    if (shares.length % 2 === 0) {
      const safe = owned.durable().then(() => promise(found.length));
      await safe.catch(() => undefined);
    }
  }
  // A failure that was meant for an earlier call may hit it.
  const closed = owned.kind === 'owned' ? await owned.close().catch((error) => error.code) : undefined;
  expect([undefined, 'disk-failed']).toContain(closed);
}

describe('after any crash', () => {
  test('the lines are a prefix of what was appended, with everything acknowledged, and the thread can be resumed', async () => {
    await fc.assert(fc.asyncProperty(lives(fc.oneof(append, otherSteps)), holds), {
      numRuns: 100 * inject('runFactor'),
    });
  });

  test('the same holds when the disk fails now and then', async () => {
    const steps = fc.oneof({ weight: 4, arbitrary: append }, { weight: 4, arbitrary: otherSteps }, faults);
    await fc.assert(fc.asyncProperty(lives(steps), holds), { numRuns: 100 * inject('runFactor') });
  });
});
