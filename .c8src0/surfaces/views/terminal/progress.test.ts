import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { WorkProgress } from '../../../ports/thread-store.ts';
import { runBeforeAnySignal, tidyOnSignal, withProgress } from './progress.ts';

const clear = '\r\u001B[K';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

/** Work that the test leads, and what stands on the screen. */
function started({ isTTY = true, columns = 80, amount = (value: number) => String(value) } = {}) {
  let written = '';
  const stream = { isTTY, columns, write: (text: string) => (written += text) };
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let report: WorkProgress = () => {};
  const result = withProgress({ label: 'Reading', amount, stream }, (given) => {
    report = given;
    return promise;
  });
  return {
    report: (...at: Parameters<WorkProgress>) => void report(...at),
    end: (answer: string) => (resolve(answer), result),
    fail: (error: Error) => (reject(error), result),
    written: () => written,
    shown: () =>
      written
        .split(clear)
        .at(-1)!
        .replaceAll(/\u001B\[\d+m/g, ''),
  };
}

describe('on a terminal', () => {
  it('shows nothing of work that is done at once', async () => {
    const work = started();
    vi.advanceTimersByTime(290);
    work.report(5, 10);
    expect(await work.end('result')).toBe('result');
    vi.advanceTimersByTime(1000);
    expect(work.written()).toBe('');
  });

  it('shows how far longer work is, and takes the line away at its end', async () => {
    const work = started();
    vi.advanceTimersByTime(300);
    expect(work.shown()).toBe('Reading …');
    work.report(5, 10);
    expect(work.shown()).toBe(`Reading [${'#'.repeat(15)}${'.'.repeat(15)}] 5/10`);
    vi.advanceTimersByTime(2000);
    expect(work.shown()).toBe(`Reading [${'#'.repeat(15)}${'.'.repeat(15)}] 5/10 · 2 s`);
    await work.end('');
    expect(work.shown()).toBe('');
    vi.advanceTimersByTime(1000);
    expect(work.shown()).toBe('');
  });

  it('says that it waits for another process', async () => {
    const work = started();
    work.report('waiting');
    vi.advanceTimersByTime(300);
    expect(work.shown()).toBe('Reading: waiting for another process');
    vi.advanceTimersByTime(2000);
    expect(work.shown()).toBe('Reading: waiting for another process · 2 s');
    work.report(5, 10);
    expect(work.shown()).toContain('5/10');
    await work.end('');
  });

  it('shows it without a timer when the work leaves the process no time', async () => {
    const work = started();
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 400);
    work.report(1, 10);
    expect(work.shown()).toContain('1/10');
    const before = work.written();
    work.report(2, 10);
    expect(work.written()).toBe(before);
    await work.end('');
  });

  it('counts what has no known end, in the words of the work', async () => {
    const work = started({ amount: (value) => `${value} kB` });
    vi.advanceTimersByTime(300);
    work.report(7);
    expect(work.shown()).toBe('Reading 7 kB');
    work.report(7, 9);
    vi.advanceTimersByTime(200);
    expect(work.shown()).toContain('] 7 kB/9 kB');
    await work.end('');
  });

  it('fits a narrow line', async () => {
    const work = started({ columns: 40 });
    work.report(123, 456);
    vi.advanceTimersByTime(3200);
    expect(work.shown()).toBe('Reading [####...........] 123/456 · 3 s');
    expect(work.shown().length).toBeLessThan(40);
    await work.end('');
  });

  it('leaves nothing behind when the work fails', async () => {
    const work = started();
    vi.advanceTimersByTime(300);
    await expect(work.fail(new Error('lost'))).rejects.toThrow('lost');
    expect(work.shown()).toBe('');
  });
});

it('shows nothing where a line cannot be written over', async () => {
  for (const [isTTY, term] of [
    [false, 'xterm'],
    [true, 'dumb'],
  ] as const) {
    vi.stubEnv('TERM', term);
    const work = started({ isTTY });
    vi.advanceTimersByTime(3000);
    work.report(5, 10);
    await work.end('');
    expect(work.written()).toBe('');
  }
});

describe('a signal', () => {
  class SignalledProcess extends EventEmitter {
    readonly pid = 7;
    readonly ended: unknown[] = [];
    kill = (pid: number, name: string | number) => (this.ended.push([pid, name]), true);
  }

  it('ends the process by itself when all is tidy', () => {
    const self = new SignalledProcess();
    const done: unknown[] = [];
    tidyOnSignal(() => done.push(self.ended.length), self as never);
    self.emit('SIGINT', 'SIGINT');
    expect([done, self.ended]).toEqual([[0], [[7, 'SIGINT']]]);
    expect([self.listenerCount('SIGINT'), self.listenerCount('SIGTERM')]).toEqual([0, 0]);
  });

  it('is left to another listener where there is one', () => {
    const self = new SignalledProcess();
    self.on('SIGTERM', () => {});
    const tidy = vi.fn<() => void>();
    tidyOnSignal(tidy, self as never);
    self.emit('SIGTERM', 'SIGTERM');
    expect([tidy.mock.calls.length, self.ended]).toEqual([1, []]);
  });

  it('waits for work that must be whole, and ends the process then', async () => {
    vi.useRealTimers();
    const self = new SignalledProcess();
    const working = runBeforeAnySignal(() => {
      // It is reported later, as those that arrive while the process is busy are.
      queueMicrotask(() => self.emit('SIGINT', 'SIGINT'));
      return self.ended.length;
    }, self as never);
    expect([await working, self.ended]).toEqual([0, [[7, 'SIGINT']]]);
    expect(self.listenerCount('SIGTERM')).toBe(0);
  });

  it('means nothing to work that is over', () => {
    const self = new SignalledProcess();
    tidyOnSignal(() => {}, self as never)();
    expect(self.listenerCount('SIGINT')).toBe(0);
  });
});
