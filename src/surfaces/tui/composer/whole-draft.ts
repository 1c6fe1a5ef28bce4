import type { Draft, DraftElement } from './draft.ts';
import { renumbered } from './numbered-elements.ts';

/** What the message says: pastes and mentions as what they stand for. Pictures keep their labels, which the model knows. */
export function expandDraft({ text, elements }: Draft): string {
  return elements.toReversed().reduce((all, { start, end, payload }) => {
    return payload.kind === 'image' ? all : all.slice(0, start) + payload.text + all.slice(end);
  }, text);
}

/** The pictures of a draft, in the order of their numbers. */
export function picturesOf({ elements }: Draft): readonly string[] {
  return elements.flatMap(({ payload }) => (payload.kind === 'image' ? [payload.source] : []));
}

/** A command for the user's shell: the `!` was typed, and is no part of what an element stands for. */
export function isShellDraft({ text, elements }: Draft): boolean {
  return text.startsWith('!') && elements[0]?.start !== 0;
}

/** Without blanks around it. */
export function trimDraft({ text, cursor, elements }: Draft): Draft {
  const trimmed = text.trim();
  const by = text.length - text.trimStart().length;
  return {
    text: trimmed,
    cursor: Math.max(0, Math.min(trimmed.length, cursor - by)),
    elements: elements.map((element) => moved(element, -by)),
  };
}

/** One draft below the other, numbers of pictures and pastes redone. The cursor is where it was in the second. */
export function joinDrafts(first: Draft, second: Draft): Draft {
  if (second.text === '') return { ...first, cursor: first.text.length };
  const by = first.text.length + 1;
  return renumbered({
    text: `${first.text}\n${second.text}`,
    cursor: second.cursor + by,
    elements: [...first.elements, ...second.elements.map((element) => moved(element, by))],
  });
}

/** Drafts as one, below each other. Undefined: there are none. */
export function joinAll(drafts: readonly Draft[]): Draft | undefined {
  const [first, ...rest] = drafts;
  return first && rest.reduce(joinDrafts, first);
}

function moved(element: DraftElement, by: number): DraftElement {
  return { ...element, start: element.start + by, end: element.end + by };
}
