import { describe, expect, it } from 'vitest';
import { GrowingThread } from '../../bench/context/growing-thread.ts';
import { exchangesOf, longTurn } from '../../bench/history/exchange.ts';
import { rolloutText } from '../../bench/history/rollout.ts';
import { parseOptions } from '../../bench/options.ts';
import { cpuSecondsIn, peakBytesIn } from '../../bench/process/read-usage.ts';
import { runSteps } from '../../bench/run-steps.ts';
import { SampleBook } from '../../bench/sample-book.ts';
import type { Item } from '../../src/protocol/item.ts';
import { decodeLine } from '../../src/adapters/rollout/lines/line-format.ts';
import { historyEntries } from '../../src/core/history/history.ts';
import { reduce } from '../../src/core/state/reduce.ts';
import { emptyThreadState } from '../../src/core/state/thread-state.ts';

describe('what the system says about a process', () => {
  it('is read from behind a name that may hold anything', () => {
    const after = 'S 1 2 2 0 -1 4194560 100 0 0 0 150 25 7 8 20 0 11 0';
    expect(cpuSecondsIn(`42 (a ) S name) ${after}`)).toBe(1.75);
  });

  it('gives the peak, not what is held now', () => {
    expect(peakBytesIn('Name:\tnode\nVmHWM:\t   75000 kB\nVmRSS:\t   60000 kB\n')).toBe(76_800_000);
  });
});

describe('a prepared history', () => {
  it('has the size that was asked for, in exchanges that differ', () => {
    const exchanges = exchangesOf(100_000);
    const text = exchanges.map(({ words, calls, answer }) =>
      [words, ...calls.flatMap(({ command, output }) => [command, output]), answer].join(''),
    );
    expect(text).toHaveLength(10);
    expect(text.join('').length).toBe(100_000);
    expect(new Set(text).size).toBe(10);
  });

  it('may be one turn of many commands', () => {
    const { calls } = longTurn({ calls: 3, outputBytes: 500 });
    expect([calls.map(({ output }) => output.length), new Set(calls.map(({ output }) => output)).size]).toEqual([
      [500, 500, 500],
      3,
    ]);
    const lines = rolloutText({ id: '019b8d00-1111-7000-8000-000000000001', cwd: '/w', provider: 'scripted' }, [
      longTurn({ calls: 3, outputBytes: 500 }),
    ]);
    const ids = [...lines.matchAll(/"type":"function_call_output","id":"([^"]+)"/g)].map(([, id]) => id);
    expect([ids.length, new Set(ids).size]).toEqual([3, 3]);
  });

  it('is the same every time', () => {
    expect(exchangesOf(20_000)).toEqual(exchangesOf(20_000));
  });

  it('becomes a thread that Capstan folds into what was said, with no turn left open', () => {
    const thread = { id: '019b8d00-1111-7000-8000-000000000001', cwd: '/w', provider: 'scripted' };
    const lines = rolloutText(thread, exchangesOf(20_000)).trimEnd().split('\n');
    const state = lines
      .map((line) => decodeLine(Buffer.from(line)))
      .reduce((folded, line) => (typeof line === 'string' ? folded : reduce(folded, line)), emptyThreadState);
    const exchange = ['message', 'function_call', 'function_call_output', 'message'];
    expect(historyEntries(state.history).map(({ item }) => item.type)).toEqual([...exchange, ...exchange]);
    expect(state.openTurn).toBeUndefined();
  });
});

describe('a growing thread', () => {
  it('sends all of its history at every step, the new call with its answer at the end', () => {
    const thread = new GrowingThread(20_000);
    const inputs = [1, 2].map(() => {
      thread.grow();
      const body = Buffer.concat(thread.step().body).toString('utf8');
      return (JSON.parse(body) as { readonly input: readonly Item[] }).input;
    });
    const exchange = ['message', 'function_call', 'function_call_output', 'message'];
    const round = ['function_call', 'function_call_output'];
    expect(inputs[1]!.map(({ type }) => type)).toEqual([...exchange, ...exchange, ...round, ...round]);
    expect(inputs[1]!.slice(0, -2)).toEqual(inputs[0]);
  });

  it('is measured at the sizes that were asked for', () => {
    const book = new SampleBook();
    runSteps({ book, effort: 'quick', say: () => {} }, ['step-100k', 'start']);
    const counts = [...book.samples].map(([mark, rows]) => [mark, [...rows].map(([id, { length }]) => [id, length])]);
    expect(counts).toEqual([
      [
        'step-100k',
        [
          ['capstan', 100],
          ['copy', 100],
        ],
      ],
    ]);
  });
});

describe('options', () => {
  it('may come in any order, and marks add up', () => {
    expect(parseOptions(['--only', 'start', '--quick', '--json', 'f', '--only', 'resume'])).toEqual({
      effort: 'quick',
      only: ['start', 'resume'],
      json: 'f',
    });
  });

  it.each([
    [['--only', 'speed'], 'There is no mark speed.'],
    [['--json'], '--json needs a file.'],
    [['--slow'], 'There is no option --slow.'],
  ])('%j is refused', (words, complaint) => {
    expect(parseOptions(words)).toBe(complaint);
  });
});
