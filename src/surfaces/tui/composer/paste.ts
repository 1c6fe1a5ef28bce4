import { type Draft, type DraftElement, insertInto, replaceIn } from './draft.ts';
import { withoutHidden } from '../text/clean.ts';
import { pasteLabel, pasteLabels } from './numbered-elements.ts';

/** A longer paste stands as one element in the draft. */
const longPaste = 1000;

/** Whether it stands as one element in a draft. */
export function isLongPaste(text: string): boolean {
  // A character has two units at most.
  return text.length > 2 * longPaste || (text.length > longPaste && [...text].length > longPaste);
}

/** The draft with pasted text in it. */
export function pasteInto(draft: Draft, pasted: string): Draft {
  const text = plainPaste(pasted);
  if (!isLongPaste(text)) return insertInto(draft, text);
  const { cursor } = draft;
  return replaceIn(draft, [cursor, cursor], pasteLabel(text, pasteLabels(draft)), { kind: 'paste', text });
}

/** The draft with another text in the place of a paste. Without any, it goes. */
export function withPaste(draft: Draft, { start, end, payload }: DraftElement, text: string): Draft {
  if (payload.kind === 'paste' && payload.text === text) return draft;
  const without = replaceIn(draft, [start, end], '');
  if (text === '') return without;
  return replaceIn(without, [start, start], pasteLabel(text, pasteLabels(without)), { kind: 'paste', text });
}

/** Pasted text without what would steer a terminal, and without what the composer could not show. Lines end with LF. */
export function plainPaste(pasted: string): string {
  return withoutHidden(
    pasted
      // oxlint-disable-next-line no-control-regex -- these are what is looked for
      .replaceAll(/\u001B\[[0-?]*[ -/]*[@-~]|\u001B\][^\u0007\u001B]*(?:\u0007|\u001B\\)/g, '')
      .replaceAll(/\r\n?/g, '\n')
      .replaceAll(/[^\P{Cc}\n\t]/gu, ''),
  );
}
