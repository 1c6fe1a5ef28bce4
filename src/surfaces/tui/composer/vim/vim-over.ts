import { type Draft, replaceIn, withCursor } from '../draft.ts';
import { leaveInsert, type VimStep } from './vim-change.ts';
import type { VimState } from './vim-state.ts';
import { before, behindElement, lineEnd, lineStart } from './vim-text.ts';

/** A key in replace mode: what it types takes the place of what is there, and Backspace brings that back. */
export function overKey(state: VimState, draft: Draft, key: string): VimStep {
  if (key === 'escape') return leaveInsert(state, draft);
  const { inserting } = state;
  const sign = key === 'space' ? ' ' : key;
  if (inserting === undefined) return { state, draft, wants: 'passed' };
  const { over = [] } = inserting;
  if (key === 'backspace' || key === 'ctrl+h') {
    const last = over.at(-1);
    const back = last?.after === draft.text ? last.before : withCursor(draft, leftOf(draft));
    return { state: { ...state, inserting: { ...inserting, over: over.slice(0, -1) } }, draft: back };
  }
  // What was typed before a key that does something else is done.
  if ([...sign].length !== 1) {
    return { state: { ...state, inserting: { ...inserting, over: [] } }, draft, wants: 'passed' };
  }
  const { text, cursor } = draft;
  const end = cursor < lineEnd(text, cursor) ? behindElement(draft, cursor) : cursor;
  const next = replaceIn(draft, [cursor, end], sign);
  const typed = { before: draft, after: next.text, sign };
  return { state: { ...state, inserting: { ...inserting, over: [...over, typed] } }, draft: next };
}

function leftOf(draft: Draft): number {
  const { text, cursor } = draft;
  return cursor > lineStart(text, cursor) ? before(draft, cursor) : cursor;
}
