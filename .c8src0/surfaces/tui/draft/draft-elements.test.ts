import { describe, expect, it } from 'vitest';
import { draftFromText, insertPart, replaceRange, withCursor } from './draft.ts';
import { renumberElements } from './draft-elements.ts';

const picture = { kind: 'image', source: '/w/a.png' } as const;

/** `a [Image #10] b`: nine pictures before it are gone. */
const draft = replaceRange(draftFromText('a  b'), [2, 2], '[Image #10]', picture);

describe('elements that get another label', () => {
  it.each([
    ['before it', 2, 2],
    ['right behind it', 13, 12],
    ['further behind', 15, 14],
  ])('leave the cursor %s', (_, cursor, then) => {
    expect(renumberElements(withCursor(draft, cursor))).toEqual({
      text: 'a [Image #1] b',
      cursor: then,
      elements: [{ start: 2, end: 12, payload: picture }],
    });
  });

  it('move those behind them', () => {
    const two = renumberElements(insertPart(draft, [draft.text.length, draft.text.length], draft));
    expect(two.text).toBe('a [Image #1] ba [Image #2] b');
    expect(two.elements.map(({ start, end }) => two.text.slice(start, end))).toEqual(['[Image #1]', '[Image #2]']);
  });

  it('are none in a draft that is right: it stays the same', () => {
    const right = renumberElements(draft);
    expect(renumberElements(right)).toBe(right);
  });
});
