import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Draft, draftFromText, insertInto, withCursor } from '../draft.ts';
import { vimKey } from './vim-mode.ts';
import { firstVimState, vimSearchText, type VimState } from './vim-state.ts';
import { clampCursorToLine } from './vim-text-objects.ts';

interface Typed {
  readonly state: VimState;
  readonly draft: Draft;
}

/** Keys one after the other: `<esc>` and the like are one key. In insert mode they type. */
function press({ state, draft }: Typed, keys: string): Typed {
  let now = { state, draft };
  for (const [, name = ''] of keys.matchAll(/(<[^>]+>|[\s\S])/g)) {
    const key = name.length > 1 ? (named[name] ?? name) : name === ' ' ? 'space' : name;
    const step = vimKey(now.state, now.draft, key, { recalls: false });
    const types = step.wants === 'passed' && now.state.mode === 'insert';
    const moves = step.wants === 'passed' && key === 'left';
    const moved = moves ? withCursor(step.draft, step.draft.cursor - 1) : step.draft;
    now = { state: step.state, draft: types ? insertInto(now.draft, name) : moved };
  }
  return now;
}

const named: Readonly<Record<string, string>> = {
  '<esc>': 'escape',
  '<redo>': 'ctrl+r',
  '<bs>': 'backspace',
  '<cr>': 'enter',
  '<left>': 'left',
};

/** A text with the cursor before `|`. */
function at(marked: string): Typed {
  const cursor = marked.indexOf('|');
  return { state: firstVimState, draft: withCursor(draftFromText(marked.replace('|', '')), cursor) };
}

function marked({ draft: { text, cursor } }: Typed): string {
  return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
}

describe('keys of Vim', () => {
  test.each([
    // motions
    ['|one two', 'w', 'one |two'],
    ['|one.two', 'w', 'one|.two'],
    ['|one.two x', 'W', 'one.two |x'],
    ['one |two', 'b', '|one two'],
    ['|one two', 'e', 'on|e two'],
    ['|one two', '2e', 'one tw|o'],
    ['on|e\ntwo', 'l', 'on|e\ntwo'],
    ['one\n|two', 'h', 'one\n|two'],
    ['  on|e', '0', '|  one'],
    ['  on|e', '^', '  |one'],
    ['|one\ntwo', '$', 'on|e\ntwo'],
    ['on|e\na\nthree', 'jj', 'one\na\nth|ree'],
    ['|one\na\nthree', '$jj', 'one\na\nthre|e'],
    ['one\ntwo\nth|ree', 'gg', '|one\ntwo\nthree'],
    ['|one\ntwo\nthree', '2G', 'one\n|two\nthree'],
    ['|one\ntwo\nthree', 'G', 'one\ntwo\n|three'],
    ['|a.b.c.d', 'f.', 'a|.b.c.d'],
    ['|a.b.c.d', 'f.;', 'a.b|.c.d'],
    ['|a.b.c.d', '2f.,', 'a|.b.c.d'],
    ['|a.b.c.d', 't.;', 'a.|b.c.d'],
    ['a.b.c.|d', 'F.', 'a.b.c|.d'],
    ['a.b.c|.d', 'T.', 'a.b.|c.d'],
    // single changes
    ['o|ne', 'x', 'o|e'],
    ['on|e', 'x', 'o|n'],
    ['|one', '9x', '|'],
    ['o|ne', 'rX', 'o|Xe'],
    ['|one', '2rX', 'X|Xe'],
    ['|one', '4rX', '|one'],
    ['|one', 'sX<esc>', '|Xne'],
    ['on|e two', 'D', 'o|n'],
    ['on|e two', 'CX<esc>', 'on|X'],
    ['|one', 'ylp', 'o|one'],
    ['|one\ntwo', 'Yp', 'one\n|one\ntwo'],
    ['one\n|two', 'yyP', 'one\n|two\ntwo'],
    ['|one', 'xp', 'n|oe'],
    ['|one\ntwo', 'ddp', 'two\n|one'],
    ['|one\ntwo\nthree', '2dd', '|three'],
    ['one\n|two', 'dd', '|one'],
    ['o|ne\ntwo', 'ccX<esc>', '|X\ntwo'],
    ['|one\ntwo\nthree', 'dj', '|three'],
    ['one\ntwo\n|three', 'dgg', '|'],
    ['|one\ntwo', 'yy3p', 'one\n|one\none\none\ntwo'],
    // operators
    ['|one two three', 'dw', '|two three'],
    ['|one two three', 'd2w', '|three'],
    ['|one two three', '2dw', '|three'],
    ['one |two\nthree', 'dw', 'one| \nthree'],
    ['|one two', 'cwX<esc>', '|X two'],
    ['|one two three', 'c2wX<esc>', '|X three'],
    ['|one two', 'de', '| two'],
    ['one tw|o', 'db', 'one |o'],
    ['|a, b', 'dt,', '|, b'],
    ['|a, b', 'df,', '| b'],
    ['|one', 'dfz', '|one'],
    // text objects
    ['one t|wo three', 'diw', 'one | three'],
    ['one t|wo three', 'daw', 'one |three'],
    ['one t|wo', 'daw', 'on|e'],
    ['a f(x, |y) b', 'di(', 'a f(|) b'],
    ['a f(x, |y) b', 'dab', 'a f| b'],
    ['a [b [c] |d]', 'di]', 'a [|]'],
    ['{ |a }', 'ciBX<esc>', '{|X}'],
    ['say "o|ne" x', 'di"', 'say "|" x'],
    ['|say "one" x', "di'", '|say "one" x'],
    ['|say "one" x', 'ci"X<esc>', 'say "|X" x'],
    ['a `b|c`', 'da`', 'a| '],
    // insert
    ['o|ne', 'iX<esc>', 'o|Xne'],
    ['o|ne', 'aX<esc>', 'on|Xe'],
    [' o|ne', 'IX<esc>', ' |Xone'],
    ['o|ne', 'AX<esc>', 'one|X'],
    ['o|ne\ntwo', 'oX<esc>', 'one\n|X\ntwo'],
    ['one\nt|wo', 'OX<esc>', 'one\n|X\ntwo'],
    ['|', '/a<esc>', '/|a'],
    ['|', '!ls<esc>', '!l|s'],
    ['|one', '/', '|one'],
    // typing over what is there
    ['|one two', 'RXY<esc>', 'X|Ye two'],
    ['on|e', 'RXYZ<esc>', 'onXY|Z'],
    ['on|e\ntwo', 'RX Y<esc>', 'onX |Y\ntwo'],
    ['|one', 'RXY<bs><bs>Z<esc>', '|Zne'],
    ['o|ne', 'RX<bs><bs><bs><esc>', '|one'],
    ['on|e', 'RXYZ<bs><bs><esc>', 'on|X'],
    ['|one', 'RXY<esc>u', '|one'],
    ['|one', 'RXY<esc>u<redo>', 'X|Ye'],
    ['|one two', 'RX<esc>w.', 'Xne |Xwo'],
    ['|one two', 'RX<left>Y<esc>w.', 'Yne |Ywo'],
    ['|👍🏽x', 'RX<esc>', '|Xx'],
    // search
    ['|one two one', '/one<cr>', 'one two |one'],
    ['|one two one', '/one<cr>n', '|one two one'],
    ['|a b a b', '/b<cr>N', 'a b a |b'],
    ['one two |one', '?one<cr>', '|one two one'],
    ['|a b a b', '?b<cr>n', 'a |b a b'],
    ['|a b a b', '2/b<cr>', 'a b a |b'],
    ['|a b a b', '/b<cr>gg2n', 'a b a |b'],
    ['|one two', '/TWO<cr>', '|one two'],
    ['|one Two', '/two<cr>', 'one |Two'],
    ['|a b a b', '/b<cr>gg/<cr>', 'a |b a b'],
    ['|one two', 'd/two<cr>', '|two'],
    ['one |two', 'd?one<cr>', '|two'],
    ['|a b a b a b', 'd/b<cr>.', '|b a b'],
    ['|one two', 'c/two<cr>X<esc>', '|Xtwo'],
    ['|one two', '/two<esc>x', '|ne two'],
    ['|one two', '/tx<bs>wo<cr>', 'one |two'],
    ['|one two', '/t<bs><bs>x', '|ne two'],
    ['one |two', '/zz<cr>x', 'one |wo'],
    ['|a b', 'nx', '| b'],
    ['|a\nb c', '/b c<cr>', 'a\n|b c'],
    // again, and back
    ['|one two three', 'dw.', '|three'],
    ['|one two', 'cwX<esc>w.', 'X |X'],
    ['|a b', 'xu', '|a b'],
    ['|abc', 'xxuu<redo>', '|bc'],
    ['|abc', 'iXYZ<esc>u', '|abc'],
    ['|abc', 'd<esc>x', '|bc'],
    ['|abc', 'q', '|abc'],
    ['|👍🏽x', 'x', '|x'],
    ['|e\u0301x', 'l', 'e\u0301|x'],
  ])('%j %s', (before, keys, expected) => {
    expect(marked(press(at(before), keys))).toBe(expected);
  });

  test('Esc without a command, and in normal mode keys that type nothing, are for others', () => {
    const { draft } = at('|one');
    for (const key of ['escape', 'enter', 'tab', 'ctrl+t']) {
      expect(vimKey(firstVimState, draft, key, { recalls: false }).wants).toBe('passed');
    }
    const inserting = press(at('|one'), 'i');
    expect(vimKey(inserting.state, inserting.draft, 'escape', { recalls: false }).wants).toBeUndefined();
  });

  test('what is searched for can be seen, and that it is not there', () => {
    const searched = (keys: string) => vimSearchText(press(at('|one two'), keys).state);
    expect(['x', '/', '/tw', '?o e', '/tw<cr>', '/zz<cr>', '/zz<cr>l', '/tw<esc>'].map(searched)).toEqual([
      undefined,
      '/',
      '/tw',
      '?o e',
      undefined,
      '/zz: no match',
      undefined,
      undefined,
    ]);
  });

  test('a search finds no part of a paste', () => {
    const found = press({ state: firstVimState, draft: withElement }, '/chars<cr>');
    expect([found.draft.cursor, vimSearchText(found.state)]).toEqual([0, '/chars: no match']);
  });

  test('Backspace in replace mode brings back what was typed over, and nothing that came by other ways', () => {
    const over = press(at('|one'), 'RX');
    const pasted = { ...over, draft: insertInto(over.draft, 'pasted') };
    expect(marked(press(pasted, '<bs>'))).toBe('Xpaste|dne');
  });

  test('j and k recall at the ends of a text, operators never do', () => {
    const { draft } = at('|one');
    const wants = (state: VimState, key: string) => vimKey(state, draft, key, { recalls: true }).wants;
    expect([wants(firstVimState, 'k'), wants(firstVimState, 'j')]).toEqual(['older', 'newer']);
    const operating = press(at('|one'), 'd').state;
    expect([wants(operating, 'k'), wants(operating, 'j')]).toEqual([undefined, undefined]);
  });
});

const keySigns = [
  ...'hjklwbeWBE0^$xrsDCYSXpPudycfFtT;,.gGiaAIoORR/?nN"(){}[]`\'23',
  ' ',
  'escape',
  'escape',
  'ctrl+r',
  'backspace',
  'enter',
];

/** A draft with a paste in the middle. */
const withElement: Draft = {
  text: 'say [Pasted Content 9 chars]"x"\n(two) 👍🏽',
  cursor: 0,
  elements: [{ start: 4, end: 28, payload: { kind: 'paste', text: 'pasted' } }],
};

function play(draft: Draft, keys: readonly string[], check: (now: Typed) => void): Typed {
  let now: Typed = { state: firstVimState, draft };
  for (const key of keys) {
    const step = vimKey(now.state, now.draft, key === ' ' ? 'space' : key, { recalls: false });
    const isTyped = step.wants === 'passed' && now.state.mode === 'insert' && [...key].length === 1;
    now = { state: step.state, draft: isTyped ? insertInto(now.draft, key) : step.draft };
    check(now);
  }
  return now;
}

describe('whatever is pressed', () => {
  const keysOf = fc.array(fc.constantFrom(...keySigns), { maxLength: 60 });

  test('the cursor stands in the text, on a character in normal mode, and no element is cut', () => {
    fc.assert(
      fc.property(keysOf, (keys) => {
        play(withElement, keys, ({ state, draft }) => {
          const { text, cursor, elements } = draft;
          expect(cursor).toBeGreaterThanOrEqual(0);
          expect(cursor).toBeLessThanOrEqual(text.length);
          const isSettled = state.mode !== 'normal' || clampCursorToLine(draft).cursor === cursor;
          expect(isSettled).toBe(true);
          for (const { start, end } of elements) {
            expect(text.slice(start, end)).toBe('[Pasted Content 9 chars]');
            expect(cursor <= start || cursor >= end).toBe(true);
          }
          expect(text).not.toContain('\uE000');
          expect(text.isWellFormed()).toBe(true);
        });
      }),
    );
  });

  test('u as often as needed gives the text back, and redo gives it again', () => {
    fc.assert(
      fc.property(keysOf, (keys) => {
        const played = play(withElement, [...keys, 'escape', 'escape'], () => {});
        const undo = (now: Typed, key: string): Typed => {
          let last = now;
          for (let left = 0; left < 100; left++) last = vimKey(last.state, last.draft, key, { recalls: false });
          return last;
        };
        const back = undo(played, 'u');
        expect([back.draft.text, back.draft.elements]).toEqual([withElement.text, withElement.elements]);
        // A change that was undone before comes back as well.
        const last = played.state.future[0] ?? played.draft;
        expect(undo(back, 'ctrl+r').draft.text).toBe(last.text);
      }),
    );
  });
});
