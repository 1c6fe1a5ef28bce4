import { describe, expect, it } from 'vitest';
import { marksPastes } from '../screen/terminal/process-terminal.ts';
import { PasteBurst } from './paste-detection.ts';

/** Each sign comes so many milliseconds after the one before. */
function burst(text: string, gapMs: number): PasteBurst {
  let now = 0;
  const found = new PasteBurst(() => now);
  for (const sign of text) {
    now += gapMs;
    found.typed(sign);
  }
  return found;
}

describe('a paste that the terminal does not mark', () => {
  it('is three characters or more, at most 8 ms apart', () => {
    expect(burst('abc', 8).run).toBe('abc');
    expect(burst('ab', 1).run).toBe('');
    expect(burst('abc', 9).run).toBe('');
  });

  it('of 1,001 characters is one; as many by hand are none', () => {
    const long = 'x'.repeat(1001);
    expect(burst(long, 1).run).toBe(long);
    expect(burst(long, 30).run).toBe('');
  });

  it('has what comes later, until it is over', () => {
    let now = 0;
    const found = new PasteBurst(() => now);
    found.typed('abc');
    now = 1000;
    found.typed('d');
    expect(found.run).toBe('abcd');
    found.end();
    found.typed('e');
    expect([found.run, found.isOn]).toEqual(['', false]);
  });

  it('keeps signs of all scripts in their order', () => {
    expect(burst('abc\u3000日本 d\te', 0).run).toBe('abc\u3000日本 d\te');
    expect(burst('a日bc', 0).run).toBe('a日bc');
  });

  it.each(['при', '删除所', 'שלו', '👍👍👍'])('is one in every script: %s', (text) => {
    expect(burst(text, 8).run).toBe(text);
    expect(burst([...text].slice(1).join(''), 1).run).toBe('');
    expect(burst(text, 9).run).toBe('');
  });

  it('is looked for only where a terminal is not known to mark pastes', () => {
    expect([{ TERM: 'xterm-256color' }, { TERM: 'x', TMUX: '/t' }].map(marksPastes)).toEqual([true, true]);
    expect([{ TERM: 'linux' }, { TERM: 'vt100' }, {}].map(marksPastes)).toEqual([false, false, false]);
  });
});
