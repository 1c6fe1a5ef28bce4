import fc from 'fast-check';
import { expect, inject, it } from 'vitest';
import { isMessage, type Item, messageText } from '../../src/protocol/item.ts';
import type { Ordinal } from '../../src/protocol/ids.ts';
import { words } from '../../src/protocol/user-input.ts';
import { historyEntries } from '../../src/core/history/history.ts';
import type { ThreadState } from '../../src/core/state/thread-state.ts';
import { waitingItem } from '../../src/core/state/fold/waiting-messages.ts';
import {
  answer,
  callTool,
  type RecordedRequest,
  say,
  SimulatedDisk,
  startScriptedModel,
} from '../../src/testing/index.ts';
import { checkpointText, isCompaction } from '../compaction/summariser.ts';
import { WatchedThread } from '../harness/watched-thread.ts';

const kind = fc.constantFrom('run' as const, 'run' as const, 'steer' as const, 'inject' as const, 'compact' as const);
const story = fc.record({
  operations: fc.array(fc.record({ kind, pause: fc.nat(12) }), { minLength: 3, maxLength: 12 }),
  /** The delay of each answer of the model, and whether it asks for a command. */
  answers: fc.array(fc.record({ delay: fc.nat(20), calls: fc.boolean() }), { minLength: 1, maxLength: 5 }),
  /** A history that leaves too little space, so that turns are compacted before they begin. */
  full: fc.boolean(),
  /** Syncs, requests and operations before the process dies. */
  at: fc.integer({ min: 1, max: 25 }),
  death: fc.constantFrom('kill' as const, 'crash' as const),
  luck: fc.nat(100),
});
type Story = typeof story extends fc.Arbitrary<infer Value> ? Value : never;

async function ticks(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
}

const placed = (files: SimulatedDisk) => ({ home: '/home', files, locks: files.locks });

/** Plays until the process dies, then goes on as another one. What was met. */
async function dieAndGoOn({
  operations,
  answers,
  full,
  at,
  death,
  luck,
}: Story): Promise<{ left: number; quiet: boolean }> {
  const disk = new SimulatedDisk();
  let survivor: SimulatedDisk | undefined;
  let moments = 0;
  const promised = new Set<string>();
  const moment = (): void => {
    if (++moments === at)
      survivor ??= death === 'kill' ? disk.kill() : disk.crash(({ most }) => Math.round((most * luck) / 100));
  };
  let asked = 0;
  const model = await startScriptedModel(async (request) => {
    if (survivor === undefined) moment();
    const { delay, calls } = answers[asked++ % answers.length]!;
    await ticks(delay);
    if (isCompaction(request)) return answer({ items: [say(checkpointText('Hello.', ['Hello.']))] });
    const call = calls && asked % 3 !== 0 && survivor === undefined;
    const said = full ? 'Words that fill a window. '.repeat(200) : 'Yes.';
    return answer({ items: [call ? callTool('exec_command', { cmd: `echo ${asked}` }) : say(said)] });
  });
  const thread = new WatchedThread(model.url, placed(disk));
  if (full) thread.world = { ...thread.world, window: 5000 };
  try {
    const live = await thread.open();
    const began: string[] = [];
    thread.onEvent = (event) => {
      if (event.kind === 'turn-started' && event.turnId === thread.live?.turnId) promised.add(began.shift()!);
    };
    const ends: Promise<unknown>[] = [];
    /** Turns that are not over, and the words of those that had to wait for one. */
    let running = 0;
    const queued: string[] = [];
    const accepts = (text: string, answered: Promise<{ kind: string }>): void => {
      // A durable message is durable with all that was accepted before it.
      const before = [...queued];
      const note = ({ kind: how }: { kind: string }): void => {
        if (survivor === undefined && how !== 'refused') for (const each of [...before, text]) promised.add(each);
      };
      ends.push(answered.then(note, () => {}));
    };
    disk.slow = async () => moment();
    for (const [number, operation] of operations.entries()) {
      const text = textOf(number);
      if (survivor !== undefined) break;
      const signal = new AbortController().signal;
      if (operation.kind === 'run') {
        began.push(text);
        if (running++ > 0) queued.push(text);
        const over = (): void => {
          running -= 1;
        };
        ends.push(live.run({ input: words(text), signal }).then(over, over));
      } else if (operation.kind === 'steer') accepts(text, live.steer({ input: words(text) }));
      else if (operation.kind === 'inject') accepts(text, live.inject(noteOf(text)));
      else ends.push(live.compact({ signal }).catch(() => undefined));
      moment();
      await ticks(operation.pause);
    }
    if (survivor === undefined) await Promise.all(ends);
    survivor ??= disk.kill();
    const acknowledged = thread.acknowledged.at(-1)?.state ?? '';
    await Promise.all(ends);
    thread.replaceDisk(placed(survivor));
    const file = await thread.lines();
    // A thread that was never acknowledged may be missing.
    expect(file.length === 0 ? promised : new Set()).toEqual(new Set());
    if (file.length === 0) return { left: 0, quiet: true };
    const state = await thread.located(((file.at(-1)!.ordinal ?? 0) + 1) as Ordinal);
    for (const [number, operation] of operations.entries()) {
      const text = textOf(number);
      const isPromised = promised.has(text) || acknowledged.includes(text);
      // A checkpoint quotes what the user said, and compacts the items of programs.
      const least = isPromised && (operation.kind !== 'inject' || state.checkpoints.count === 0) ? 1 : 0;
      const found = placesOf(state, text) || Number(JSON.stringify(historyEntries(state.history)).includes(text));
      expect({ text, least, found, once: found >= least && found <= 1 }).toMatchObject({ once: true });
    }
    const waiting = waitsIn(state);
    const from = model.requests.length;
    await (await thread.open()).run({ input: words('The last words.'), signal: new AbortController().signal });
    await thread.close();
    const request = model.requests.slice(from).find((each) => !isCompaction(each))!;
    const said = textsIn(request);
    expect(said.filter((text) => waiting.includes(text) || text === 'The last words.')).toEqual([
      ...waiting,
      'The last words.',
    ]);
    return { left: waiting.length, quiet: false };
  } finally {
    await thread.close().catch(() => {});
    await model.close();
  }
}

function textOf(number: number): string {
  return `message ${number};`;
}

function noteOf(text: string): Item {
  return { type: 'message', role: 'developer', content: [{ type: 'input_text', text }] };
}

/** Counts the places of a message in the state: entries of history, and waiting messages. */
function placesOf(state: ThreadState, text: string): number {
  const items = historyEntries(state.history).map(({ item }) => item);
  return [...items.map(textIn), ...waitsIn(state)].filter((each) => each === text).length;
}

function waitsIn({ waiting }: ThreadState): readonly string[] {
  return waiting.map((each) => (each.kind === 'words' ? each.input.text : textIn(waitingItem(each))));
}

function textsIn({ body }: RecordedRequest): readonly string[] {
  return (body['input'] as unknown as readonly Item[]).map(textIn);
}

function textIn(item: Item): string {
  return isMessage(item) ? messageText(item) : '';
}

it('whenever a process dies, what it accepted is in history or waits, once, and the next turn takes it in', async () => {
  const seen = { left: 0, threads: 0 };
  const runs = 40 * inject('runFactor');
  await fc.assert(
    fc.asyncProperty(story, async (told) => {
      const { left, quiet } = await dieAndGoOn(told);
      seen.left += left;
      if (!quiet) seen.threads += 1;
    }),
    { numRuns: runs },
  );
  expect(seen.left).toBeGreaterThan(runs / 5);
  expect(seen.threads).toBeGreaterThan(runs / 2);
}, 120_000);
