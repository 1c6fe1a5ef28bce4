import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { endOnSignal } from './end-on-signal.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A process that notes how it is ended. */
class SignalledProcess extends EventEmitter {
  exitCode?: number;
  readonly ended: (number | string | null | undefined)[] = [];
  exit = ((code: number) => void this.ended.push(code)) as NodeJS.Process['exit'];
}

function started() {
  const self = new SignalledProcess();
  const told: string[] = [];
  const options = { onSignal: (name: string) => void told.push(name), onLate: () => void told.push('late') };
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
  expect([told, self.ended]).toEqual([['SIGTERM', 'late'], [1]]);
});

test('a process that stays after its work is ended with the code of the work', () => {
  const { self, told, ending } = started();
  self.emit('SIGINT', 'SIGINT');
  ending.over();
  self.exitCode = 3;
  vi.advanceTimersByTime(1000);
  expect([told, self.ended]).toEqual([['SIGINT'], [3]]);
});

test('a second signal ends the process at once', () => {
  const { self } = started();
  self.emit('SIGINT', 'SIGINT');
  self.emit('SIGTERM', 'SIGTERM');
  expect(self.ended).toEqual([1]);
});

test('after the work a signal is for the system again', () => {
  const { self, ending } = started();
  ending.over();
  expect([self.listenerCount('SIGINT'), self.listenerCount('SIGTERM')]).toEqual([0, 0]);
});
