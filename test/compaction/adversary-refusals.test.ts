import { expect, test } from 'vitest';
import {
  answer,
  callTool,
  httpError,
  overflow,
  type RecordedRequest,
  say,
  type Script,
  type ScriptedModelOptions,
  type ScriptStep,
} from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { notes } from './adversary/transcripts.ts';
import { isCompaction } from './summariser.ts';
import { compacts, task } from './talk.ts';

/** The behaviour of a provider, and the most that a thread of many turns with it may cost. */
interface Situation {
  readonly name: string;
  /** The answer to the request of a turn; undefined: it is answered as usual. */
  readonly talks: (request: RecordedRequest, turn: number) => ScriptStep | undefined;
  /** The answer to a request for a checkpoint; undefined: a good one. */
  readonly compacts?: (request: RecordedRequest) => ScriptStep | undefined;
  readonly options?: ScriptedModelOptions;
  readonly more?: string;
  /** Requests of one turn, those for checkpoints included, in which a long history is read in parts. */
  readonly inTurn: number;
  /** Checkpoints, and tries that came to nothing, of the whole thread. */
  readonly checkpoints: number;
  readonly warnings: readonly string[];
}

const turns = 10;
const window = 'model_context_window = 60000';
const size = ({ decodedBytes }: RecordedRequest): number => Math.ceil(decodedBytes.length / 4);
/** About 2500 tokens. */
const work = (turn: number, input?: number): ScriptStep =>
  answer({ items: [say(notes(turn, 10_000))], usage: input === undefined ? 'none' : { input, output: 2500 } });
const unknown = httpError({ status: 400, body: { error: { message: 'This did not work.' } } });

let smallest = 0;

const situations: readonly Situation[] = [
  {
    name: 'a hidden overhead, which it counts',
    talks: (request, turn) => work(turn, size(request) + 30_000),
    more: window,
    inTurn: 2,
    checkpoints: 6,
    warnings: [],
  },
  {
    name: 'a hidden overhead, which it does not say and refuses for',
    talks: (_, turn) => work(turn),
    options: { window: { tokens: 60_000, count: (request) => size(request) + 45_000, form: 'incomplete' } },
    more: window,
    inTurn: 5,
    checkpoints: turns,
    warnings: [],
  },
  {
    name: 'counts without any sense',
    talks: (_, turn) => work(turn, turn % 2 === 0 ? 10_000_000 : 3),
    more: window,
    inTurn: 2,
    checkpoints: 6,
    warnings: [],
  },
  {
    name: 'refusals without a cause for all but the first requests',
    talks: (_, turn) => (turn < 3 ? work(turn) : unknown),
    inTurn: 4,
    checkpoints: 1,
    warnings: ['refused-without-cause'],
  },
  {
    name: 'the same for everything, checkpoints included',
    talks: (_, turn) => (turn < 3 ? work(turn) : unknown),
    compacts: () => unknown,
    inTurn: 6,
    checkpoints: 1,
    warnings: ['refused-without-cause'],
  },
  {
    name: 'refusals without a cause beyond a size',
    talks: (request, turn) => (size(request) < 15_000 ? work(turn) : unknown),
    inTurn: 4,
    checkpoints: 3,
    warnings: ['refused-without-cause'],
  },
  {
    name: 'ever smaller windows',
    talks: (_, turn) =>
      turn < 3 ? work(turn) : overflow('status', { tokens: 90_000, window: Math.max(2, (smallest -= 3000)) }),
    inTurn: 6,
    checkpoints: turns - 3,
    warnings: ['window-learned', 'window-too-small'],
  },
  {
    name: 'windows that get smaller by one token',
    talks: (_, turn) => (turn < 3 ? work(turn) : overflow('status', { tokens: 90_000, window: (smallest -= 1) })),
    compacts: () => overflow('status', { tokens: 90_000, window: (smallest -= 1) }),
    inTurn: 8,
    checkpoints: turns - 3,
    warnings: ['window-learned'],
  },
  {
    name: 'status 500 with the words of an overflow',
    talks: (request, turn) =>
      size(request) < 15_000
        ? work(turn)
        : httpError({ status: 500, body: { error: 'prompt is too long: 16000 tokens > 15000 maximum' } }),
    inTurn: 8,
    checkpoints: 3,
    warnings: ['window-learned'],
  },
];

test.each(situations)('a provider with $name', async (situation) => {
  smallest = 24_000;
  let turn = 0;
  const script: Script = (request) => {
    if (isCompaction(request)) return situation.compacts?.(request) ?? compacts(request);
    return situation.talks(request, turn) ?? work(turn);
  };
  const live = await LiveThread.in(script, situation.more ?? '', situation.options);
  const inTurn: number[] = [];
  for (; turn < turns; turn++) {
    const before = live.model.requests.length;
    // Another process now and then: what holds, holds across processes.
    if (turn % 4 === 0) await live.open({}, { compactsAfterTurns: false });
    const tried = live.told('checkpoint-started').length;
    await live.turn(turn === 0 ? task : `Go on with part ${turn}.`);
    const requests = live.model.requests.slice(before);
    inTurn.push(requests.length);
    // One request, one more, and one checkpoint between them.
    expect(requests.filter((request) => !isCompaction(request)).length).toBeLessThanOrEqual(2);
    expect(live.told('checkpoint-started').length - tried).toBeLessThanOrEqual(1);
  }
  const tries = live.told('checkpoint-started').length;
  expect({ inTurn: Math.max(...inTurn), tries }).toEqual({
    inTurn: expect.toSatisfy((most: number) => most <= situation.inTurn),
    tries: expect.toSatisfy((count: number) => count >= 1 && count <= situation.checkpoints),
  });
  expect([...new Set(live.told('warning').map(({ outcome }) => outcome.code))].toSorted()).toEqual(situation.warnings);
});

test('a provider that answers one step and refuses the next as too long, over and over', async () => {
  const steps = 40;
  let asked = 0;
  const live = await LiveThread.in((request) => {
    if (isCompaction(request)) return compacts(request);
    asked += 1;
    if (asked > steps) return answer({ items: [say('Done.')], usage: 'none' });
    if (asked % 2 === 0) return overflow('status', { tokens: 90_000, window: 272_000 });
    const call = callTool('exec_command', { cmd: `echo ${asked}` }, `c${asked}`);
    return answer({ items: [say(notes(asked, 10_000)), call], usage: 'none' });
  }, window);
  expect(await live.turn(task)).toMatchObject({ kind: 'failed', outcome: { code: 'context-window-exceeded' } });
  // One for the first refusal; at the next one less than a tenth of the window is new.
  expect(live.told('checkpoint-started')).toHaveLength(1);
  expect(asked).toBe(4);
});
