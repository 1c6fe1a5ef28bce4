import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FrameClock } from './tui-screen.ts';

describe('FrameClock', () => {
  let clock: FrameClock;
  /** When frames were drawn, in milliseconds from the first moment. */
  let frames: number[];

  beforeEach(() => {
    vi.useFakeTimers();
    const begin = performance.now();
    frames = [];
    clock = new FrameClock(() => frames.push(performance.now() - begin));
  });
  afterEach(() => {
    clock.stop();
    vi.useRealTimers();
  });

  /** Something happens in every millisecond. */
  function stream(milliseconds: number, each: (at: number) => void = () => {}): void {
    for (let at = 0; at < milliseconds; at++) {
      clock.ask();
      each(at);
      vi.advanceTimersByTime(1);
    }
  }

  it('draws what streams at most once in 16 milliseconds', () => {
    stream(50);
    expect(frames).toEqual([0, 16, 32, 48]);
  });

  it('draws a key at once, however short ago a frame for the stream was', () => {
    stream(40, (at) => {
      if (at === 17 || at === 30) clock.echo();
    });
    // Each takes the place of a frame for the stream, and adds none.
    expect(frames).toEqual([0, 16, 17, 30]);
  });

  it('draws a key although a frame for the stream is asked for', () => {
    clock.now();
    clock.ask();
    clock.echo();
    vi.advanceTimersByTime(0);
    expect(frames).toEqual([0, 0]);
    vi.advanceTimersByTime(100);
    expect(frames).toEqual([0, 0]);
  });

  it('makes one frame of the keys that came together', () => {
    for (let key = 0; key < 100; key++) clock.echo();
    vi.advanceTimersByTime(100);
    expect(frames).toEqual([0]);
  });

  it('draws a flood of keys at most once in 4 milliseconds, also while something streams', () => {
    stream(12, () => clock.echo());
    expect(frames).toEqual([0, 4, 8, 12]);
  });

  it('does not draw twice for a key that a frame has shown already', () => {
    clock.echo();
    clock.now();
    vi.advanceTimersByTime(100);
    expect(frames).toEqual([0]);
  });

  it('draws nothing after its end', () => {
    clock.ask();
    clock.echo();
    clock.tick(10);
    clock.stop();
    clock.echo();
    clock.ask();
    clock.now();
    vi.advanceTimersByTime(100);
    expect(frames).toEqual([]);
  });
});
