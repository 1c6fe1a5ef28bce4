import { describe, expect, it } from 'vitest';
import { marksPastes } from '../screen/marks-pastes.ts';
import { burstSilence, PasteBurst } from './paste-burst.ts';

/** Each sign comes so many milliseconds after the one before. */
function burst(text: string, gapMs: number) {
  let now = 0;
  const found = new PasteBurst(() => now);
  for (const sign of text) {
    now += gapMs;
    found.typed(sign);
  }
  return { found, wait: (ms: number) => (now += ms) };
}

describe('a paste that the terminal does not mark', () => {
  it('is three plain characters or more, at most 8 ms apart', () => {
    expect(burst('abc', 8).found.end()).toBe('abc');
    expect(burst('ab', 1).found.end()).toBe('');
    expect(burst('abc', 9).found.end()).toBe('');
  });

  it('of 1,001 characters is one; as many by hand are none', () => {
    const long = 'x'.repeat(1001);
    expect(burst(long, 1).found.end()).toBe(long);
    expect(burst(long, 30).found.end()).toBe('');
  });

  it('takes an Enter among its characters, or up to 120 ms behind them', () => {
    const { found, wait } = burst('abc', 1);
    expect(found.isRunning).toBe(true);
    expect(found.takesEnter).toBe(true);
    wait(120);
    expect([found.isRunning, found.takesEnter]).toEqual([false, true]);
    wait(1);
    expect(found.takesEnter).toBe(false);
    expect(burst('by hand', 50).found.takesEnter).toBe(false);
  });

  it('keeps signs of all scripts in their order', () => {
    expect(burst('abc\u3000日本 d\te', 0).found.end()).toBe('abc\u3000日本 d\te');
    expect(burst('a日bc', 0).found.end()).toBe('a日bc');
  });

  it('is not what an input method gives', () => {
    const { found } = burst('こんにちは', 0);
    expect([found.end(), found.takesEnter]).toEqual(['', false]);
  });

  it('is over when the user does something else', () => {
    const { found } = burst('abc', 0);
    found.clear();
    expect([found.end(), found.isRunning, found.takesEnter]).toEqual(['', false, false]);
  });

  it('is looked for only where a terminal is not known to mark pastes', () => {
    expect([{ TERM: 'xterm-256color' }, { TERM: 'x', TMUX: '/t' }].map(marksPastes)).toEqual([true, true]);
    expect([{ TERM: 'linux' }, { TERM: 'vt100' }, {}].map(marksPastes)).toEqual([false, false, false]);
    expect([burstSilence('linux'), burstSilence('win32')]).toEqual([8, 60]);
  });
});
