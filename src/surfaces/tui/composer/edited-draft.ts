import { type Draft, type DraftElement, draftOf } from './draft.ts';
import { renumbered } from './numbered-elements.ts';
import { plainPaste } from './paste.ts';
import { picturesOf, plainWords } from './whole-draft.ts';

/**
 * The draft after its text was edited elsewhere, where pastes stood in full. A picture stays as often as its label does.
 * What was not changed stays as it was, with all its elements.
 */
export function editedDraft(before: Draft, edited: string): Draft {
  const text = plainPaste(edited).trimEnd();
  if (text === plainWords(before).trimEnd()) return before;
  const sources = picturesOf(before);
  const elements = [...text.matchAll(/\[Image #(\d{1,4})\]/g)].flatMap(
    ({ 0: label, 1: number, index }): readonly DraftElement[] => {
      const source = sources[Number(number) - 1];
      return source === undefined
        ? []
        : [{ start: index, end: index + label.length, payload: { kind: 'image', source } }];
    },
  );
  return renumbered({ ...draftOf(text), elements });
}
