import { describe, expect, it } from 'vitest';
import { draftFromText, emptyDraft, insertInto, replaceRange, withCursor } from './draft.ts';
import { hasImageName, insertElement, isSameToken, mentionAt, pathInMessage } from './draft-elements.ts';

/** `|` is the cursor. */
function tokenIn(script: string) {
  const cursor = script.indexOf('|');
  return mentionAt(withCursor(draftFromText(script.replace('|', '')), cursor));
}

describe('a mention', () => {
  it.each([
    ['@|', '@', ''],
    ['see @src/co|', '@', 'src/co'],
    ['see @sr|c/co more', '@', 'src/co'],
    ['@a@b|', '@', 'a@b'],
    ['$|', '$', ''],
    ['use $rel-1:x|', '$', 'rel-1:x'],
    ['echo $PATH|', '$', 'PATH'],
  ])('%s', (script, sign, typed) => {
    expect(tokenIn(script)).toMatchObject({ sign, typed });
  });

  it.each(['|@a', 'me@host|', 'a @b |', '$1|', '$?|', '${x}|', '$-|', 'x$y|', '', 'costs $5|'])(
    'none: %s',
    (script) => {
      expect(tokenIn(script.includes('|') ? script : `${script}|`)).toBeUndefined();
    },
  );

  it('begins behind an element, and ends before one', () => {
    const element = replaceRange(emptyDraft, [0, 0], '[Image #1]', { kind: 'image', source: 'a.png' });
    expect(mentionAt(insertInto(element, '@a'))).toMatchObject({ typed: 'a', start: 10, end: 12 });
    const before = insertInto(withCursor(element, 0), '@a');
    expect(mentionAt(before)).toMatchObject({ typed: 'a', start: 0, end: 2 });
  });

  it('stays the same one while the text before it changes, and is another one further on', () => {
    const one = tokenIn('see @a|')!;
    expect(isSameToken(one, tokenIn('now see @a|')!)).toBe(true);
    expect(isSameToken(one, tokenIn('see @a and @a|')!)).toBe(false);
    expect(isSameToken(one, tokenIn('see @ab|')!)).toBe(false);
  });
});

describe('what is inserted', () => {
  const payload = { kind: 'mention', text: 'src/a.ts' } as const;

  it('has a blank behind it, and before it where it touches another element', () => {
    const first = insertElement(draftFromText('@a'), [0, 2], 'src/a.ts', payload);
    expect(first).toEqual({ text: 'src/a.ts ', cursor: 9, elements: [{ start: 0, end: 8, payload }] });
    const touching = { ...first, text: 'src/a.ts@b', cursor: 10 };
    const second = insertElement(touching, [8, 10], 'src/a.ts', payload);
    expect(second.text).toBe('src/a.ts src/a.ts ');
    expect(second.elements.map(({ start, end }) => [start, end])).toEqual([
      [0, 8],
      [9, 17],
    ]);
  });

  it('replaces its own word only, and uses the blank that is there', () => {
    const made = insertElement(draftFromText('a@b.c @x $y'), [6, 8], 'src/a.ts', payload);
    expect(made).toMatchObject({ text: 'a@b.c src/a.ts $y', cursor: 15 });
  });

  it('is quoted if it has blanks in it', () => {
    expect(['a b.txt', 'a"b c', 'plain'].map(pathInMessage)).toEqual(['"a b.txt"', `'a"b c'`, 'plain']);
    expect(['a.PNG', 'b.jpeg', 'c.svg', 'png'].map(hasImageName)).toEqual([true, true, false, false]);
  });
});
