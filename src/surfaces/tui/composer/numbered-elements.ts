import { isShellDraft } from './command-draft.ts';
import type { Draft, DraftElement } from './draft.ts';
import { mentionLabel } from './mention-words.ts';

/** `[Image #2]`. The engine gives pictures the same numbers, in their order. */
export function imageLabel(number: number): string {
  return `[Image #${number}]`;
}

/** `[Pasted Content 1200 chars, 40 lines]`; a second one of the same size is told apart by a number. */
export function pasteLabel(text: string, taken: ReadonlySet<string>): string {
  const lines = text.replace(/\n$/, '').split('\n').length;
  const label = `[Pasted Content ${[...text].length} chars${lines === 1 ? '' : `, ${lines} lines`}]`;
  for (let number = 1; ; number++) {
    const numbered = number === 1 ? label : `${label} #${number}`;
    if (!taken.has(numbered)) return numbered;
  }
}

/** The labels of pastes in a draft. */
export function pasteLabels({ text, elements }: Draft): ReadonlySet<string> {
  const pastes = elements.filter(({ payload }) => payload.kind === 'paste');
  return new Set(pastes.map(({ start, end }) => text.slice(start, end)));
}

/** Pictures are numbered in their order, no two pastes have one label, and a path is quoted as its draft needs it. A draft where that holds stays the same object. */
export function renumbered(draft: Draft): Draft {
  const taken = new Set<string>();
  let images = 0;
  const isShell = isShellDraft(draft);
  const labels = draft.elements.map(({ start, end, payload }) => {
    const label = draft.text.slice(start, end);
    if (payload.kind === 'image') return imageLabel(++images);
    if (payload.kind === 'mention') return payload.path === undefined ? label : mentionLabel(payload, { isShell });
    // One that was numbered keeps its number as long as no other has it.
    const kept = taken.has(label) ? pasteLabel(payload.text, taken) : label;
    taken.add(kept);
    return kept;
  });
  const isSame = draft.elements.every(({ start, end }, at) => draft.text.slice(start, end) === labels[at]);
  return isSame ? draft : relabelled(draft, labels);
}

function relabelled(draft: Draft, labels: readonly string[]): Draft {
  let [text, from, { cursor }] = ['', 0, draft];
  const elements: DraftElement[] = [];
  for (const [at, { start, end, payload }] of draft.elements.entries()) {
    const label = labels[at] ?? '';
    text += draft.text.slice(from, start);
    elements.push({ start: text.length, end: text.length + label.length, payload });
    if (draft.cursor >= end) cursor += label.length - (end - start);
    text += label;
    from = end;
  }
  return { text: text + draft.text.slice(from), cursor, elements };
}
