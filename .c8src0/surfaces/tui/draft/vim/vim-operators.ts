import { type Draft, type DraftRange, insertPart, lineEnd, replaceRange, withCursor } from '../draft.ts';
import type { VimMove } from './vim-motions.ts';
import { clearPendingKeys, pushUndoState, timesSlice, vimSliceOf } from './vim-state.ts';
import type { VimOperator, VimSlice, VimState } from './vim-state.ts';
import {
  clampCursorToLine,
  firstNonBlank,
  positionLeft,
  lineStart,
  positionAfter,
  positionBefore,
  positionRight,
} from './vim-text-objects.ts';

/** The result of a key. `passed`: it is no Vim key here. `older`, `newer`: recall another message. */
export interface VimStep {
  readonly state: VimState;
  readonly draft: Draft;
  readonly wants?: 'passed' | 'older' | 'newer';
}

type TypingMode = Exclude<VimState['mode'], 'normal'>;

export const cancelCommand = (state: VimState, draft: Draft): VimStep => ({ state: clearPendingKeys(state), draft });

export function stepWithChange(state: VimState, before: Draft, draft: Draft): VimStep {
  const change = { keys: state.keys, typed: '' };
  const remembered = before.text === draft.text ? state : pushUndoState(state, before);
  return { state: { ...clearPendingKeys(remembered), change, column: undefined }, draft };
}

export function stepWithOperator(state: VimState, before: Draft, operator: VimOperator, done: OperatorResult): VimStep {
  const { draft, slice } = done;
  const kept = slice.text === '' && !slice.isLines ? state : { ...state, slice };
  if (operator === 'c') return enterInsertMode(kept, before, draft);
  if (operator === 'd') return stepWithChange(kept, before, draft);
  return { state: { ...clearPendingKeys(kept), column: undefined }, draft };
}

export function enterInsertMode(state: VimState, before: Draft, draft: Draft, mode: TypingMode = 'insert'): VimStep {
  const inserting = { before, from: draft, keys: state.keys, over: mode === 'replace' ? [] : undefined };
  return { state: { ...clearPendingKeys(state), mode, inserting, column: undefined }, draft };
}

export function leaveInsertMode(state: VimState, draft: Draft): VimStep {
  const { inserting } = state;
  const normal: VimState = { ...clearPendingKeys(state), mode: 'normal', inserting: undefined };
  const left = clampCursorToLine(draft, positionLeft(draft));
  if (inserting === undefined) return { state: normal, draft: left };
  const { before, from, keys, over } = inserting;
  const typed = over === undefined ? typedBetween(from, draft) : over.map(({ sign }) => sign).join('');
  const next = { ...normal, change: { keys, typed } };
  return { state: before.text === draft.text ? next : pushUndoState(next, before), draft: left };
}

function typedBetween({ text, cursor }: Draft, now: Draft): string {
  const end = now.text.length - (text.length - cursor);
  const isTyped = end >= cursor && now.text.startsWith(text.slice(0, cursor)) && now.text.endsWith(text.slice(cursor));
  const hasElement = now.elements.some((each) => each.start < end && each.end > cursor);
  return isTyped && !hasElement ? now.text.slice(cursor, end) : '';
}

export function undoOrRedo(state: VimState, draft: Draft, key: string, count: number): VimStep {
  const [past, future] = [[...state.past], [...state.future]];
  const [from, to] = key === 'u' ? [past, future] : [future, past];
  let shown = draft;
  for (let left = count; left > 0 && from.length > 0; left--) {
    to.push(shown);
    shown = from.pop()!;
  }
  return { state: { ...clearPendingKeys(state), past, future }, draft: clampCursorToLine(shown) };
}

type OperatorResult = { readonly draft: Draft; readonly slice: VimSlice };

export function applyOperatorToMotion(draft: Draft, operator: VimOperator, { to, takes }: VimMove): OperatorResult {
  const [first, last] = [Math.min(draft.cursor, to), Math.max(draft.cursor, to)];
  if (takes === 'lines') return applyOperatorToLines(draft, operator, [first, last]);
  return applyOperatorToRange(draft, operator, [first, takes === 'inclusive' ? positionAfter(draft, last) : last]);
}

export function applyOperatorToRange(draft: Draft, operator: VimOperator, range: DraftRange): OperatorResult {
  const slice = vimSliceOf(draft, range, false);
  if (operator === 'y') return { draft: clampCursorToLine(draft, range[0]), slice };
  const left = range[0] === range[1] ? withCursor(draft, range[0]) : replaceRange(draft, range, '');
  return { draft: operator === 'c' ? left : clampCursorToLine(left), slice };
}

export function applyOperatorToLines(draft: Draft, operator: VimOperator, [first, last]: DraftRange): OperatorResult {
  const { text } = draft;
  const [from, to] = [lineStart(text, first), lineEnd(text, last)];
  const slice = vimSliceOf(draft, [from, to], true);
  if (operator === 'y') return { draft: clampCursorToLine(draft, Math.min(first, last)), slice };
  if (operator === 'c') return { draft: replaceRange(draft, [from, to], ''), slice };
  // The last line is removed with the line break before it.
  const left = replaceRange(draft, to < text.length ? [from, to + 1] : [Math.max(0, from - 1), to], '');
  return { draft: clampCursorToLine(left, firstNonBlank(left.text, Math.min(from, left.text.length))), slice };
}

export function putSlice(draft: Draft, slice: VimSlice, where: 'before' | 'behind', times: number): Draft {
  const { text, cursor } = draft;
  const many = timesSlice(slice, times);
  if (!slice.isLines) {
    const at = where === 'behind' ? positionRight(draft) : cursor;
    const put = insertPart(draft, [at, at], many);
    return clampCursorToLine(put, many.text === '' ? at : positionBefore(put, put.cursor));
  }
  const at = where === 'behind' ? lineEnd(text, cursor) : lineStart(text, cursor);
  const from = where === 'behind' ? at + 1 : at;
  const put = insertPart(replaceRange(draft, [at, at], '\n'), [from, from], many);
  return clampCursorToLine(put, firstNonBlank(put.text, from));
}

/** `r`: undefined if the line has fewer characters. */
export function replaceCharacters(draft: Draft, sign: string, times: number): Draft | undefined {
  const { text, cursor } = draft;
  const end = lineEnd(text, cursor);
  let to = cursor;
  for (let left = times; left > 0; left--) {
    if (to >= end) return undefined;
    to = positionAfter(draft, to);
  }
  const replaced = replaceRange(draft, [cursor, to], sign.repeat(times));
  return clampCursorToLine(replaced, replaced.cursor - sign.length);
}
