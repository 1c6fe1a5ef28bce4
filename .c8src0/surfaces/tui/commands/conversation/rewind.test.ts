import { describe, expect, it } from 'vitest';
import { draftWithPictures } from './rewind.ts';
import { joinAll, picturesOf } from '../../draft/draft-message.ts';

describe('a message with pictures, as a draft again', () => {
  it('has them where its words name them, and before the words where they do not', () => {
    const named = draftWithPictures('Compare [Image #2] with [Image #1].', ['one', 'two']);
    expect([named.text, picturesOf(named)]).toEqual(['Compare [Image #1] with [Image #2].', ['two', 'one']]);
    const unnamed = draftWithPictures('See.', ['one', 'two']);
    expect([unnamed.text, picturesOf(unnamed)]).toEqual(['[Image #1] [Image #2] See.', ['one', 'two']]);
    expect(draftWithPictures('', ['one']).text).toBe('[Image #1]');
    expect(draftWithPictures('No [Image #1] here.', []).elements).toEqual([]);
  });

  it('keeps each with its number when messages are joined', () => {
    const draft = joinAll([draftWithPictures('A [Image #1]', ['one']), draftWithPictures('B [Image #1]', ['two'])])!;
    expect([draft.text, picturesOf(draft)]).toEqual(['A [Image #1]\nB [Image #2]', ['one', 'two']]);
  });
});
