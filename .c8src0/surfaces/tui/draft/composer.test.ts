import { describe, expect, it } from 'vitest';
import { keyPress } from '../screen/terminal/terminal-port.ts';
import { Composer } from './composer.ts';
import { PasteView } from './attachments.ts';
import { draftFromText, replaceRange } from './draft.ts';
import { replacePastedText } from './pasted-text.ts';
import { expandDraft } from './draft-message.ts';

const look = {
  width: 20,
  colours: 'none',
  palette: 'dark',
  glyphs: 'unicode',
  details: 'folded',
  now: 0,
  cwd: '/w',
  home: '/h',
} as const;

/** Names in brackets are keys, all else is typed. */
function type(composer: Composer, script: string): void {
  for (const [, key, text = ''] of script.matchAll(/<([^>]+)>|([^<]+)/g)) {
    if (key !== undefined) composer.input({ kind: 'key', name: key, text: '' });
    else for (const sign of text) composer.input(keyPress(sign === ' ' ? 'space' : sign));
  }
}

function written(script: string): string {
  const composer = new Composer();
  type(composer, script);
  const { text, cursor } = composer.draft;
  return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
}

describe('editing', () => {
  it.each([
    ['abc<left><left>X', 'aX|bc'],
    ['one two<alt+b>X', 'one X|two'],
    ['one two<ctrl+left><ctrl+left>X', 'X|one two'],
    ['a.b<ctrl+w>', 'a.|'],
    ['one two<ctrl+w><ctrl+w><ctrl+y>', 'one two|'],
    ['one<ctrl+u>two<ctrl+w><ctrl+y><alt+y>', 'one|'],
    ['one<ctrl+a><ctrl+k><ctrl+y><ctrl+y>', 'oneone|'],
    ['a<ctrl+j>b<up><end>c', 'ac|\nb'],
    ['first<ctrl+j>x<ctrl+j>third<up><up>', 'first|\nx\nthird'],
    ['one two<ctrl+_>', 'one|'],
    ['one two<ctrl+_><alt+_>', 'one two|'],
    ['e\u0301👩‍👩‍👧x<left><left><backspace>', '|👩‍👩‍👧x'],
    ['abc<home><delete><ctrl+d>', '|c'],
    ['กี่<backspace>', 'กี|'],
    ['กี่x<left><left>Y', 'Y|กี่x'],
    ['a<ctrl+space><alt+space>b<ctrl+m>c', 'ab\nc|'],
    ['a<shift+enter>b<alt+enter>c', 'a\nb\nc|'],
    ['a.b c<ctrl+shift+backspace><ctrl+shift+backspace>', 'a.|'],
  ])('%s', (script, wanted) => {
    expect(written(script)).toBe(wanted);
  });
});

describe('a paste', () => {
  it('of more than 1,000 characters stands as one element, and is sent whole', () => {
    const composer = new Composer();
    const long = 'x'.repeat(1001);
    type(composer, 'see ');
    composer.input({ kind: 'paste', text: long });
    composer.input({ kind: 'paste', text: long });
    expect(composer.draft.text).toBe('see [Pasted Content 1001 chars][Pasted Content 1001 chars] #2');
    type(composer, '<backspace>');
    expect(composer.draft.text).toBe('see [Pasted Content 1001 chars]');
    type(composer, '<left><left>Y');
    expect(composer.draft.text).toBe('seeY [Pasted Content 1001 chars]');
    expect(expandDraft(composer.take())).toBe(`seeY ${long}`);
  });

  it('goes as a whole, whatever stands before it, and with it what it stands for', () => {
    const composer = new Composer();
    type(composer, '漢字👩‍👩‍👧 ');
    composer.input({ kind: 'paste', text: 'x'.repeat(1001) });
    composer.input({ kind: 'paste', text: 'y'.repeat(1001) });
    type(composer, '<left><backspace>');
    expect(expandDraft(composer.draft)).toBe(`漢字👩‍👩‍👧 ${'y'.repeat(1001)}`);
    const [paste] = composer.draft.elements;
    const changed = replaceRange(composer.draft, [paste!.start + 2, paste!.start + 3], 'Z');
    expect(changed).toMatchObject({ text: '漢字👩‍👩‍👧 Z', elements: [] });
  });

  it('has no sequence that would steer the terminal, and lines that end alike', () => {
    const composer = new Composer();
    composer.input({ kind: 'paste', text: 'a\u001B[31mred\u001B]0;title\u0007\r\nb\rc\u0000\td' });
    expect(composer.draft.text).toBe('ared\nb\nc\td');
  });

  it('that begins with a ! is no command for the shell once it stands for more', () => {
    const composer = new Composer();
    composer.input({ kind: 'paste', text: `!${'x'.repeat(2000)}` });
    expect(composer.isShell).toBe(false);
  });
});

describe('what was cut', () => {
  const long = 'x'.repeat(1001);

  it('comes back with what it stands for, also after the draft was sent', () => {
    const composer = new Composer();
    type(composer, 'ü ');
    composer.input({ kind: 'paste', text: long });
    type(composer, '<ctrl+u>next');
    composer.take();
    type(composer, '<ctrl+y><ctrl+y>');
    expect(expandDraft(composer.draft)).toBe(`ü ${long}ü ${long}`);
    expect(composer.draft.text).toBe('ü [Pasted Content 1001 chars]ü [Pasted Content 1001 chars] #2');
  });

  it('in several strokes is one', () => {
    const composer = new Composer();
    composer.input({ kind: 'paste', text: long });
    type(composer, ' end<ctrl+w><ctrl+w><ctrl+y>');
    expect(expandDraft(composer.draft)).toBe(`${long} end`);
    type(composer, '<alt+y>');
    expect(expandDraft(composer.draft)).toBe(`${long} end`);
  });
});

describe('a paste that the cursor is moved to', () => {
  const long = `${'x'.repeat(1001)}\nlast`;

  it('can be opened; behind it, or after typing, Enter sends', () => {
    const composer = new Composer();
    composer.input({ kind: 'paste', text: long });
    expect(composer.pasteAtCursor).toBeUndefined();
    type(composer, '<left>');
    expect(composer.pasteAtCursor?.payload).toEqual({ kind: 'paste', text: long });
    type(composer, 'a');
    expect(composer.pasteAtCursor).toBeUndefined();
  });

  it('is changed, and has another label then; without text it goes', () => {
    const composer = new Composer();
    composer.input({ kind: 'paste', text: long });
    const [paste] = composer.draft.elements;
    const changed = replacePastedText(composer.draft, paste!, 'short');
    expect([changed.text, expandDraft(changed)]).toEqual(['[Pasted Content 5 chars]', 'short']);
    expect(replacePastedText(composer.draft, paste!, long)).toBe(composer.draft);
    expect(replacePastedText(composer.draft, paste!, '').text).toBe('');
  });

  it('is edited in lines', () => {
    let text: string | undefined;
    const view = new PasteView({ title: 'Paste', text: 'one\n\ttwo', close: (edited) => (text = edited) });
    const key = (name: string, typed = '') => view.input({ kind: 'key', name, text: typed });
    expect(view.frame(look, 5)).toEqual({
      rows: ['  Paste: row 1 of 2', '  one', '      two', '', '  Esc goes back wit…'],
      cursor: { row: 1, column: 2 },
    });
    key('down');
    key('x', 'x');
    key('enter');
    view.input({ kind: 'paste', text: 'a\r\nb' });
    key('escape');
    expect(text).toBe('one\nx\na\nb\ttwo');
    key('ctrl+c');
    expect(text).toBeUndefined();
  });
});

describe('recall', () => {
  it('walks through what was sent while the draft is empty or unchanged', () => {
    const composer = new Composer();
    for (const words of ['one', 'two', 'two']) {
      type(composer, words);
      composer.take();
    }
    type(composer, '<up>');
    expect(composer.words).toBe('two');
    type(composer, '<up><up>');
    expect(composer.words).toBe('one');
    type(composer, '<down><down>');
    expect(composer.words).toBe('');
    type(composer, 'draft<up>');
    expect(composer.words).toBe('draft');
  });
});

describe('on the screen', () => {
  it('breaks between words and keeps the cursor in sight', () => {
    const composer = new Composer();
    type(composer, 'several words that do not fit one row');
    expect(composer.frame(look, 10, '')).toEqual({
      rows: ['› several words ', '  that do not fit ', '  one row'],
      cursor: { row: 2, column: 9 },
    });
    expect(composer.frame(look, 2, '').rows).toEqual(['  that do not fit ', '  one row']);
  });

  it('has another sign for a command of the shell', () => {
    const composer = new Composer();
    type(composer, '!ls');
    expect(composer.frame(look, 5, '')).toEqual({ rows: ['! ls'], cursor: { row: 0, column: 4 } });
  });
});

describe('what a command puts into the composer', () => {
  it('stands there at once, or waits until the draft is sent, cleared or deleted', () => {
    const composer = new Composer();
    expect([composer.offer(draftFromText('@')), composer.draft.text]).toEqual(['shown', '@']);
    expect([composer.offer(draftFromText('/goal one')), composer.offer(draftFromText('/review '))]).toEqual([
      'waits',
      'waits',
    ]);
    expect(composer.draft.text).toBe('@');
    expect(composer.take().text).toBe('@');
    expect(composer.draft.text).toBe('/goal one');
    composer.input({ kind: 'key', name: 'ctrl+u', text: '' });
    expect(composer.draft.text).toBe('/review ');
    composer.drop();
    expect(composer.draft.text).toBe('');
  });

  it('waits while the draft is edited elsewhere, and stands behind what came back', () => {
    const composer = new Composer();
    composer.lend();
    expect(composer.offer(draftFromText('@'))).toBe('waits');
    composer.giveBack(draftFromText('back'));
    composer.draft = draftFromText('edited');
    composer.regain();
    expect(composer.draft.text).toBe('back\nedited');
    composer.take();
    expect(composer.draft.text).toBe('@');
  });
});
