import { describe, expect, it } from 'vitest';
import { keyPress } from '../screen/terminal/terminal-port.ts';
import { Composer } from './composer.ts';
import { draftFromText } from './draft.ts';
import { ReverseSearch } from './reverse-search.ts';

/** Batches of older texts, the newest first. */
function file(...batches: (readonly string[] | Error)[]) {
  const added: string[] = [];
  return {
    added,
    async older() {
      const [batch, ...rest] = batches;
      if (batch instanceof Error) throw batch;
      batches = rest;
      return batch;
    },
    add: (text: string) => void added.push(text),
  };
}

function press(composer: Composer, ...names: string[]): void {
  for (const name of names) composer.input({ kind: 'key', name, text: '' });
}

function type(composer: Composer, text: string): void {
  for (const sign of text) composer.input(keyPress(sign === ' ' ? 'space' : sign));
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('recall', () => {
  it('shows first what came back while something else was written, whatever is sent before that', () => {
    const composer = new Composer();
    type(composer, 'first');
    composer.take();
    type(composer, '/pin');
    expect(composer.giveMessageBack(draftFromText('back'))).toBe('aside');
    expect(composer.draft.text).toBe('/pin');
    composer.take();
    const seen: string[] = [];
    for (let at = 0; at < 3; at++) {
      press(composer, 'up');
      seen.push(composer.draft.text);
    }
    expect(seen).toEqual(['back', '/pin', 'first']);
    composer.drop();
    expect(composer.giveMessageBack(draftFromText('once more'))).toBe('shown');
    expect(composer.draft.text).toBe('once more');
  });

  it('walks from this conversation into earlier ones, over what is the same', async () => {
    const composer = new Composer();
    composer.history.attach(file(['old', 'older', 'older'], ['oldest']));
    type(composer, 'mine');
    composer.take();
    const seen: string[] = [];
    for (let at = 0; at < 6; at++) {
      press(composer, 'up');
      await settled();
      seen.push(composer.draft.text);
    }
    expect(seen).toEqual(['mine', 'old', 'older', 'oldest', 'oldest', 'oldest']);
    press(composer, 'down', 'down', 'down', 'down');
    expect(composer.draft.text).toBe('');
  });

  it('brings back a draft with all that belongs to it, also one that was cleared', () => {
    const composer = new Composer();
    const earlier = file();
    composer.history.attach(earlier);
    composer.input({ kind: 'paste', text: 'x'.repeat(1500) });
    const { draft } = composer;
    composer.drop();
    press(composer, 'up');
    expect(composer.draft).toEqual(draft);
    expect(earlier.added).toEqual([]);
    composer.take();
    expect(earlier.added).toEqual(['x'.repeat(1500)]);
  });

  it('is for an empty draft, or one that is unchanged with the cursor at an end', () => {
    const composer = new Composer();
    for (const text of ['one', '!two words']) {
      type(composer, text);
      composer.take();
    }
    press(composer, 'up', 'home', 'up');
    expect(composer.draft.text).toBe('one');
    press(composer, 'left', 'up');
    expect(composer.draft.text).toBe('one');
    press(composer, 'end', 'down', 'left', 'down');
    expect(composer.draft.text).toBe('!two words');
    type(composer, 'x');
    press(composer, 'up');
    expect(composer.draft.text).toBe('!two wordxs');
  });

  it('shows nothing that comes after the user went on typing', async () => {
    const composer = new Composer();
    composer.history.attach(file(['old']));
    press(composer, 'up');
    type(composer, 'new');
    await settled();
    expect(composer.draft.text).toBe('new');
  });

  it('what was sent before there was a file is kept once there is one', () => {
    const composer = new Composer();
    type(composer, 'early');
    composer.take();
    const earlier = file();
    composer.history.attach(earlier);
    expect(earlier.added).toEqual(['early']);
  });
});

describe('an entry of another program', () => {
  it.each([
    ['!echo hello \u001B];touch X;#\u0007world', '!echo hello world'],
    ['\u200B!touch \u202EX', ' !touch X'],
    [' !ls', ' !ls'],
    ['one\r\ntwo\tthree', 'one\ntwo\tthree'],
  ])('%j is recalled as it is drawn', async (text, wanted) => {
    const composer = new Composer();
    composer.history.attach(file([text]));
    press(composer, 'up');
    await settled();
    expect(composer.draft.text).toBe(wanted);
  });
});

describe('search in earlier messages', () => {
  function searching(...batches: (readonly string[] | Error)[]) {
    const composer = new Composer();
    for (const text of ['fix the parser', 'run tests', 'Fix the parser', 'fix the parser'])
      composer.history.seed(draftFromText(text));
    composer.history.attach(file(...batches));
    type(composer, 'my draft');
    press(composer, 'left');
    let isOpen = true;
    const search = new ReverseSearch({ composer, changed: () => {}, close: () => (isOpen = false) });
    const look = {
      width: 80,
      colours: 'none',
      glyphs: 'unicode',
      palette: 'dark',
      details: 'folded',
      now: 0,
      cwd: '',
      home: '',
    } as const;
    return {
      composer,
      row: () => search.rows(look)[0],
      key: (name: string) => search.input({ kind: 'key', name, text: '' }),
      type: (text: string) => [...text].map((sign) => search.input(keyPress(sign))),
      isOpen: () => isOpen,
    };
  }

  it('shows nothing until a letter is typed, then the newest, each text once', async () => {
    const { composer, type: letters, key } = searching(['FIX older']);
    expect(composer.draft.text).toBe('my draft');
    letters('fix');
    expect(composer.draft.text).toBe('fix the parser');
    key('ctrl+r');
    expect(composer.draft.text).toBe('Fix the parser');
    key('up');
    await settled();
    expect(composer.draft.text).toBe('FIX older');
    key('ctrl+s');
    key('down');
    expect(composer.draft.text).toBe('fix the parser');
  });

  it('the newest comes first also of those that had to be read, and words that are typed meanwhile begin anew', async () => {
    const one = searching(['some words'], ['three fish', 'two fish', 'one fish']);
    one.type('fish');
    await settled();
    expect(one.composer.draft.text).toBe('three fish');
    one.key('ctrl+r');
    expect(one.composer.draft.text).toBe('two fish');
    const other = searching(['a fix', 'b fix', 'c fish']);
    other.type('run');
    other.key('ctrl+r');
    for (const _ of 'run') other.key('backspace');
    other.type('fish');
    await settled();
    expect(other.composer.draft.text).toBe('c fish');
  });

  it('asked for one more, it shows the next older one when that was read', async () => {
    const { composer, type: letters, key } = searching(['nothing'], ['run b', 'run a']);
    letters('run');
    key('ctrl+r');
    await settled();
    expect(composer.draft.text).toBe('run b');
  });

  it('what comes back meanwhile stands before the draft when it is over', () => {
    for (const [end, words] of [
      ['escape', 'my draft'],
      ['enter', 'run tests'],
    ] as const) {
      const { composer, type: letters, key } = searching();
      letters('run');
      composer.giveBack(draftFromText('came back'));
      composer.giveBack(draftFromText('and this'));
      expect(composer.draft.text).toBe('run tests');
      key(end);
      expect(composer.draft.text).toBe(`and this\ncame back\n${words}`);
    }
  });

  it('Enter takes it as a draft that can be undone; Esc restores the exact draft', () => {
    const one = searching();
    one.type('run');
    one.key('enter');
    expect([one.composer.draft.text, one.isOpen()]).toEqual(['run tests', false]);
    press(one.composer, 'ctrl+_');
    expect(one.composer.draft.text).toBe('my draft');
    const other = searching();
    other.type('run');
    other.key('escape');
    expect([other.composer.draft, other.isOpen()]).toEqual([{ text: 'my draft', cursor: 7, elements: [] }, false]);
  });

  it('without a match the draft is back and the search stays', async () => {
    const { composer, type: letters, key, row, isOpen } = searching();
    letters('zzz');
    await settled();
    expect([composer.draft.text, isOpen(), row()]).toEqual(['my draft', true, '  reverse-i-search: zzz no match']);
    key('backspace');
    key('backspace');
    key('backspace');
    expect(row()).toContain('type to search');
  });

  it('says so when earlier messages cannot be read', async () => {
    const { type: letters, row } = searching(new Error('no'));
    letters('zzz');
    await settled();
    expect(row()).toBe('  reverse-i-search: zzz (earlier messages are unavailable)');
  });

  it('a key that moves ends the search and is the composer’s', () => {
    const { composer, type: letters, key, isOpen } = searching();
    letters('run');
    expect(key('left')).toBe(false);
    expect([composer.draft.text, isOpen()]).toEqual(['run tests', false]);
  });
});
