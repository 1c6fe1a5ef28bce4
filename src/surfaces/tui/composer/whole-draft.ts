import { asMessage, isCommandDraft, isCommandText, isShellDraft } from './command-draft.ts';
import type { Draft, DraftElement } from './draft.ts';
import { mentionWords } from './mention-words.ts';
import { renumbered } from './numbered-elements.ts';

/** What the message says: pastes and mentions as what they stand for. Pictures keep their labels, which the model knows. */
export function expandDraft(draft: Draft): string {
  const isShell = isShellDraft(draft);
  return draft.elements.toReversed().reduce((all, { start, end, payload }) => {
    if (payload.kind === 'image') return all;
    const words = payload.kind === 'mention' ? mentionWords(payload, { isShell }) : payload.text;
    return all.slice(0, start) + words + all.slice(end);
  }, draft.text);
}

/** What the model gets: without the blank that keeps a message from being a command. */
export function messageWords(draft: Draft): string {
  const words = expandDraft(draft);
  return words.startsWith(' ') && isCommandText(words.slice(1)) ? words.slice(1) : words;
}

/** The draft as text alone, which means the same: what an element stood for does not become a command. */
export function plainWords(draft: Draft): string {
  const words = expandDraft(draft);
  return isCommandText(words) && !isCommandDraft(draft) ? ` ${words}` : words;
}

/** The pictures of a draft, in the order of their numbers. */
export function picturesOf({ elements }: Draft): readonly string[] {
  return elements.flatMap(({ payload }) => (payload.kind === 'image' ? [payload.source] : []));
}

/** Without blanks around it, but for one that keeps a message from being a command. */
export function trimDraft({ text, cursor, elements }: Draft): Draft {
  const trimmed = text.trim();
  const by = text.length - text.trimStart().length;
  const draft = {
    text: trimmed,
    cursor: Math.max(0, Math.min(trimmed.length, cursor - by)),
    elements: elements.map((element) => moved(element, -by)),
  };
  return by === 0 ? draft : asMessage(draft);
}

/** One draft below the other, which is no command: numbers of pictures and pastes redone. The cursor is where it was in the second. */
export function joinDrafts(before: Draft, second: Draft): Draft {
  if (second.text === '') return { ...before, cursor: before.text.length };
  const first = asMessage(before);
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
