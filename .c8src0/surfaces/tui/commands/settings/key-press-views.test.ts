import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { keyActions } from '../../screen/keys/key-actions.ts';
import { keyPress } from '../../screen/terminal/terminal-port.ts';
import type { Look } from '../../screen/text/look.ts';
import { KeyCaptureView } from './key-press-views.ts';

const usual = { width: 120, colours: 'none', palette: 'dark', glyphs: 'unicode', details: 'folded' } as const;

function capturing(name: string) {
  const seen: string[] = [];
  const view = new KeyCaptureView({
    action: keyActions.find((each) => each.name === name)!,
    note: () => '',
    captured: (strokes) => void seen.push(strokes),
    reported: ({ kind }) => void seen.push(kind),
    now: () => Date.now(),
    draw: () => {},
    close: () => void seen.push('closed'),
  });
  const look = (): Look => ({ ...usual, now: Date.now(), cwd: '/w', home: '/h' });
  return { view, seen, shown: () => view.frame(look(), 24).rows.join('\n') };
}

describe('a key that is captured', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('is taken after a second', () => {
    const { view, seen, shown } = capturing('submit');
    view.input(keyPress('f5'));
    expect(shown()).toContain('f5');
    vi.advanceTimersByTime(999);
    expect(seen).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(seen).toEqual(['f5']);
  });

  test('makes a chord with a second one, of any kind', () => {
    const { view, seen } = capturing('submit');
    view.input(keyPress('x', { ctrl: true }));
    vi.advanceTimersByTime(999);
    view.input(keyPress('t'));
    vi.advanceTimersByTime(5000);
    expect(seen).toEqual(['ctrl+x t']);
  });

  test('Esc takes the first key of a chord back, then closes', () => {
    const { view, seen, shown } = capturing('submit');
    view.input(keyPress('f5'));
    view.input(keyPress('escape'));
    expect(shown()).toContain('Press it.');
    vi.advanceTimersByTime(5000);
    expect(seen).toEqual([]);
    expect(shown()).toContain('Nothing came?');
    view.input(keyPress('escape'));
    expect(seen).toEqual(['closed']);
  });

  test('is refused where it is fixed or types, and a list may have it', () => {
    const { view, seen, shown } = capturing('submit');
    view.input(keyPress('v', { ctrl: true }));
    expect(shown()).toContain('ctrl+v, which is fixed: it attaches a picture of the clipboard. Choose another key.');
    view.input(keyPress('x'));
    expect(shown()).toContain('x, which types a character');
    view.input({ kind: 'key', name: 'text', text: 'a long run of characters' });
    vi.advanceTimersByTime(5000);
    expect(seen).toEqual(['key']);
    const list = capturing('accept');
    list.view.input(keyPress('x'));
    vi.advanceTimersByTime(5000);
    expect(list.seen).toEqual(['x']);
  });
});
