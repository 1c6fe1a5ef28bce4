import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Composer } from './composer.ts';
import { expandDraft } from './draft-message.ts';
import { InputReader } from '../screen/terminal/input-reader.ts';
import { PasteDetectingKeys } from './paste-detection.ts';
import { defaultScreenLook } from '../screen/tui-screen.ts';

/** A composer behind a terminal that does not mark pastes. Keys that act are listed. */
function keyboard() {
  const composer = new Composer();
  const acted: string[] = [];
  let isSearching = false;
  const pass = (name: string): void => void acted.push(`${name} at ${composer.draft.text}`);
  const bursts = new PasteDetectingKeys({
    stage: {
      composer,
      draw() {},
      get look() {
        const look = defaultScreenLook({}, { cwd: '/', home: '/' });
        return { ...look, width: 80, now: Date.now(), details: 'folded' } as const;
      },
    },
    isOn: () => true,
    isElsewhere: () => isSearching,
    pass: ({ name }) => pass(name),
  });
  const reader = new InputReader((input) => {
    if (bursts.input(input)) return;
    if (input.kind === 'key' && input.text === '' && input.name !== 'ctrl+j') pass(input.name);
    else if (!isSearching) composer.input(input);
  });
  const wait = (ms: number): void => void vi.advanceTimersByTime(ms);
  return {
    composer,
    acted,
    wait,
    search: () => void (isSearching = true),
    /** Each piece is one read. */
    send(pieces: readonly string[], gapMs = 0) {
      for (const piece of pieces) {
        reader.feed(piece);
        if (gapMs > 0) wait(gapMs);
      }
    },
  };
}

/** Many ways to cut a text into pieces. */
function cuts(text: string): readonly (readonly string[])[] {
  const sizes = [1, 2, 3, 4, 5, 7, 11];
  const even = sizes.map((size) => text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []);
  const twice = [...text].map((_, at) => [text.slice(0, at), ...(text.slice(at).match(/[^]{1,3}/g) ?? [])]);
  return [...even, ...twice].map((pieces) => pieces.filter((piece) => piece !== ''));
}

describe('a paste on a terminal that does not mark it', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it.each(['\u0002', '\u001B[C'])('no Tab or Enter right behind it acts, also behind a key: %j', (key) => {
    for (const last of ['\t', '\r']) {
      const { send, acted, wait } = keyboard();
      send([`delete all my files${key}${last}`]);
      wait(500);
      expect(acted.filter((each) => /^(?:tab|enter) /.test(each))).toEqual([]);
    }
  });

  it.each([
    'first\rsecond\rthird\r\rfourth\rfifth',
    'x\ry\r!touch ran\rz\rend',
    '!w\r!v\r\tindented\ta\r',
    'a\r/quit\rb',
    '/clear\rnow\rgo',
    'こん\r日本\r語',
    'with line feeds\r\nand\r\nboth\r\n.',
  ])('never sends a line, whatever pieces it comes in: %j', (text) => {
    for (const gapMs of [0, 7, 20, 50])
      for (const pieces of cuts(text)) {
        const { send, wait, acted, composer } = keyboard();
        send(pieces, gapMs);
        wait(1000);
        expect([pieces, acted]).toEqual([pieces, []]);
        expect([pieces, expandDraft(composer.draft)]).toEqual([pieces, text.replaceAll(/\r\n?/g, '\n')]);
      }
  });

  it.each(['удали всё\r', '删除所有文件\r', '/logout\r', '/rename X\r', '/permissions Read only\r'])(
    'does not act by the Enter at its end: %j',
    (text) => {
      for (const gapMs of [0, 7])
        for (const pieces of cuts(text)) {
          const { send, wait, acted, composer } = keyboard();
          send(pieces, gapMs);
          wait(1000);
          expect([pieces, acted]).toEqual([pieces, []]);
          expect(composer.draft.text).toBe(text.replace('\r', '\n'));
        }
    },
  );

  it.each([
    ['lines', 'line of words\r'.repeat(700)],
    ['one line', 'word '.repeat(2000)],
  ])('of many pieces becomes one element: %s', (_, text) => {
    for (const size of [1, 64, 1000, 4096]) {
      const { send, wait, composer, acted } = keyboard();
      composer.input({ kind: 'key', name: 'text', text: 'See ' });
      wait(500);
      send(text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [], size === 1 ? 1 : 12);
      wait(1000);
      expect(composer.draft.text).toMatch(/^See \[Pasted Content \d+ chars[^\]]*\]$/);
      expect(expandDraft(composer.draft)).toBe(`See ${text.replaceAll('\r', '\n')}`);
      expect(acted).toEqual([]);
    }
  });

  it('is whole only when the program has looked for more, however long it was busy', async () => {
    vi.useRealTimers();
    const { send, acted, composer } = keyboard();
    send(['first\rsecond\r']);
    const more = new Promise<void>((read) => {
      // Input that comes while the program is busy is read behind timers.
      setTimeout(() => setImmediate(read), 0);
    });
    const until = Date.now() + 200;
    while (Date.now() < until);
    await more;
    send(['\r']);
    await new Promise((over) => setTimeout(over, 200));
    expect([composer.draft.text, acted]).toEqual(['first\nsecond\n\n', []]);
  });

  it('takes an Enter up to 120 ms behind it, and sends with the next', () => {
    const { send, wait, acted } = keyboard();
    send(['some words']);
    wait(119);
    send(['\r']);
    wait(119);
    send(['\r']);
    expect(acted).toEqual([]);
    wait(130);
    send(['\r']);
    wait(61);
    expect(acted).toEqual(['enter at some words\n\n']);
  });

  it('takes its place in no search', () => {
    const { send, wait, search, acted, composer } = keyboard();
    search();
    send(['fix\r', 'x\r']);
    wait(1000);
    expect([composer.draft.text, acted]).toEqual(['', []]);
  });
});

describe('on such a terminal', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('Enter and Tab by hand act after a moment, or before the next key', () => {
    const { send, wait, acted } = keyboard();
    send([...'hello'], 90);
    send(['\r']);
    expect(acted).toEqual([]);
    wait(61);
    send(['\t']);
    wait(61);
    send(['\r', '\u0003']);
    expect(acted).toEqual(['enter at hello', 'tab at hello', 'enter at hello', 'ctrl+c at hello']);
  });

  it('a command runs by an Enter that is pressed for it', () => {
    const { send, wait, acted } = keyboard();
    send(['/status']);
    wait(121);
    send(['\r']);
    wait(61);
    expect(acted).toEqual(['enter at /status']);
  });

  it('words of an input method are sent by an Enter that is pressed for them', () => {
    const { send, wait, acted } = keyboard();
    send(['こんにちは']);
    wait(121);
    send(['\r']);
    wait(61);
    expect(acted).toEqual(['enter at こんにちは']);
  });
});
