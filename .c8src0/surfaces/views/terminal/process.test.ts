import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type EndingOptions, endOnSignal } from './process.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A process that notes how it is ended. */
class SignalledProcess extends EventEmitter {
  readonly pid = 71;
  exitCode?: number;
  readonly ended: (number | string | null | undefined)[] = [];
  exit = ((code: number) => {
    this.ended.push(code);
    this.emit('exit');
  }) as NodeJS.Process['exit'];
  kill(pid: number, signal: string): void {
    this.ended.push(`${signal} to ${pid}, ${this.listenerCount(signal)} listen`);
  }
}

function started(more: Partial<EndingOptions> = {}) {
  const self = new SignalledProcess();
  const told: string[] = [];
  const options: EndingOptions = {
    onSignal: (name) => void told.push(name),
    onLate: () => void told.push('late'),
    onSecond: () => void told.push('second'),
    isBusy: () => false,
    ...more,
  };
  const ending = endOnSignal(options, self as never);
  return { self, told, ending };
}

test('the first signal interrupts, and work that ends in time is not disturbed', () => {
  const { self, told, ending } = started();
  self.emit('SIGINT', 'SIGINT');
  expect([ending.signal.aborted, told, self.ended]).toEqual([true, ['SIGINT'], []]);
  vi.advanceTimersByTime(800);
  expect(self.ended).toEqual([]);
});

test('work that does not end is given up within a second, with its last words', () => {
  const { self, told } = started();
  self.emit('SIGTERM', 'SIGTERM');
  vi.advanceTimersByTime(1000);
  expect([told, self.ended]).toEqual([
    ['SIGTERM', 'late'],
    [1, 'SIGTERM to 71, 0 listen'],
  ]);
});

test('on a busy machine the work has more time, and a second signal still ends the process at once', () => {
  for (const second of [false, true]) {
    const { self, told } = started({ isBusy: () => true });
    self.emit('SIGTERM', 'SIGTERM');
    vi.advanceTimersByTime(4000);
    expect([told, self.ended]).toEqual([['SIGTERM'], []]);
    if (second) self.emit('SIGTERM', 'SIGTERM');
    else vi.advanceTimersByTime(1000);
    expect(told).toEqual(['SIGTERM', second ? 'second' : 'late']);
  }
});

test('a process that stays after its work is ended, by the signal that it got', () => {
  const { self, told, ending } = started();
  self.emit('SIGINT', 'SIGINT');
  ending.over();
  self.exitCode = 3;
  vi.advanceTimersByTime(1000);
  expect([told, self.ended]).toEqual([['SIGINT'], [3, 'SIGINT to 71, 0 listen']]);
});

test('a second signal ends the process at once', () => {
  const { self, told } = started();
  self.emit('SIGINT', 'SIGINT');
  self.emit('SIGTERM', 'SIGTERM');
  expect([told, self.ended]).toEqual([
    ['SIGINT', 'second'],
    [1, 'SIGINT to 71, 0 listen'],
  ]);
});

test('a process that leaves by itself after a signal ends by that signal, unless its code is wanted', () => {
  const ends = ['SIGINT', 'SIGTERM'].map((name) => {
    const { self, ending } = started({ exitsAfter: ['SIGTERM'] });
    self.emit(name, name);
    ending.over();
    self.emit('exit');
    return self.ended;
  });
  expect(ends).toEqual([['SIGINT to 71, 0 listen'], []]);
});

test('after the work a signal is for the system again', () => {
  const { self, ending } = started();
  ending.over();
  expect([self.listenerCount('SIGINT'), self.listenerCount('SIGTERM')]).toEqual([0, 0]);
});
