import { type Draft, type DraftElement, draftOf } from './draft.ts';
import { imageLabel, renumbered } from './numbered-elements.ts';

/**
 * A message that was sent, as a draft again. Its pictures stand where its words name them by their numbers; one that no
 * word names stands before them.
 */
export function draftWithPictures(words: string, pictures: readonly string[]): Draft {
  const placed = pictures.map((source, index) => ({ source, label: imageLabel(index + 1) }));
  const unnamed = placed.filter(({ label }) => !words.includes(label)).map(({ label }) => label);
  const text = [...unnamed, words].filter((part) => part !== '').join(' ');
  const elements = placed.map(({ source, label }): DraftElement => {
    const start = text.indexOf(label);
    return { start, end: start + label.length, payload: { kind: 'image', source } };
  });
  return renumbered({ ...draftOf(text), elements: elements.toSorted((one, other) => one.start - other.start) });
}
