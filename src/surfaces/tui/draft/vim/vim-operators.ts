import { type Draft, replaceIn, withCursor } from '../draft.ts';
import { vimMotion, type VimMove } from './vim-motions.ts';
import {
  clearPendingKeys,
  pushUndoState,
  timesSlice,
  type VimOperator,
  type VimSlice,
  vimSliceOf,
  type VimState,
  withSlice,
} from './vim-state.ts';
import {
  clampCursorToLine,
  firstNonBlank,
  lineEnd,
  lineStart,
  positionAfter,
  positionBefore,
  type VimRange,
} from './vim-text-objects.ts';

/** The result of a key. `passed`: it is no Vim key here. `older`, `newer`: recall another message. */
export interface VimStep {
  readonly state: VimState;
  readonly draft: Draft;
  readonly wants?: 'passed' | 'older' | 'newer';
}

export function cancelCommand(state: VimState, draft: Draft): VimStep {
  return { state: clearPendingKeys(state), draft };
}

export function stepWithChange(state: VimState, before: Draft, draft: Draft): VimStep {
  const change = { keys: state.keys, typed: '' };
  const remembered = before.text === draft.text ? state : pushUndoState(state, before);
  return { state: { ...clearPendingKeys(remembered), change, column: undefined }, draft };
}

export function stepWithOperator(
  state: VimState,
  before: Draft,
  operator: VimOperator,
  { draft, slice }: OperatorResult,
): VimStep {
  const kept = slice.text === '' && !slice.isLines ? state : { ...state, slice };
  if (operator === 'c') return enterInsertMode(kept, before, draft);
  return operator === 'y'
    ? { state: { ...clearPendingKeys(kept), column: undefined }, draft }
    : stepWithChange(kept, before, draft);
}

export function enterInsertMode(state: VimState, before: Draft, draft: Draft): VimStep {
  const inserting = { before, from: draft, keys: state.keys };
  return { state: { ...clearPendingKeys(state), mode: 'insert', inserting, column: undefined }, draft };
}

export function enterReplaceMode(state: VimState, draft: Draft): VimStep {
  const inserting = { before: draft, from: draft, keys: state.keys, over: [] };
  return { state: { ...clearPendingKeys(state), mode: 'replace', inserting, column: undefined }, draft };
}

export function leaveInsertMode(state: VimState, draft: Draft): VimStep {
  const { inserting } = state;
  const normal: VimState = { ...clearPendingKeys(state), mode: 'normal', inserting: undefined };
  const back = draft.cursor > lineStart(draft.text, draft.cursor) ? vimMotion(draft, 'h', noOptions)?.to : undefined;
  const left = clampCursorToLine(withCursor(draft, back ?? draft.cursor));
  if (inserting === undefined) return { state: normal, draft: left };
  const { before, from, keys, over } = inserting;
  const typed = over === undefined ? typedBetween(from, draft) : over.map(({ sign }) => sign).join('');
  const change = { keys, typed };
  const next = { ...normal, change };
  return { state: before.text === draft.text ? next : pushUndoState(next, before), draft: left };
}

const noOptions = { count: undefined, column: undefined };

function typedBetween({ text, cursor }: Draft, now: Draft): string {
  const end = now.text.length - (text.length - cursor);
  const isTyped = end >= cursor && now.text.startsWith(text.slice(0, cursor)) && now.text.endsWith(text.slice(cursor));
  const hasElement = now.elements.some((each) => each.start < end && each.end > cursor);
  return isTyped && !hasElement ? now.text.slice(cursor, end) : '';
}

export function undoChanges(state: VimState, draft: Draft, count: number): VimStep {
  let [past, future, shown] = [state.past, state.future, draft];
  for (let left = count; left > 0; left--) {
    const last = past.at(-1);
    if (last === undefined) break;
    [past, future, shown] = [past.slice(0, -1), [...future, shown], last];
  }
  return { state: { ...clearPendingKeys(state), past, future }, draft: clampCursorToLine(shown) };
}

export function redoChanges(state: VimState, draft: Draft, count: number): VimStep {
  let [past, future, shown] = [state.past, state.future, draft];
  for (let left = count; left > 0; left--) {
    const last = future.at(-1);
    if (last === undefined) break;
    [past, future, shown] = [[...past, shown], future.slice(0, -1), last];
  }
  return { state: { ...clearPendingKeys(state), past, future }, draft: clampCursorToLine(shown) };
}

interface OperatorResult {
  readonly draft: Draft;
  readonly slice: VimSlice;
}

export function applyOperatorToMotion(draft: Draft, operator: VimOperator, { to, takes }: VimMove): OperatorResult {
  const { cursor } = draft;
  const range: VimRange = [Math.min(cursor, to), Math.max(cursor, to)];
  if (takes === 'lines') return applyOperatorToLines(draft, operator, range);
  return applyOperatorToRange(
    draft,
    operator,
    takes === 'inclusive' ? [range[0], positionAfter(draft, range[1])] : range,
  );
}

export function applyOperatorToRange(draft: Draft, operator: VimOperator, range: VimRange): OperatorResult {
  const slice = vimSliceOf(draft, range, false);
  if (operator === 'y') return { draft: clampCursorToLine(withCursor(draft, range[0])), slice };
  const left = range[0] === range[1] ? withCursor(draft, range[0]) : replaceIn(draft, range, '');
  return { draft: operator === 'c' ? left : clampCursorToLine(left), slice };
}

export function applyOperatorToLines(draft: Draft, operator: VimOperator, [first, last]: VimRange): OperatorResult {
  const { text } = draft;
  const [from, to] = [lineStart(text, first), lineEnd(text, last)];
  const slice = vimSliceOf(draft, [from, to], true);
  if (operator === 'y') return { draft: clampCursorToLine(withCursor(draft, Math.min(first, last))), slice };
  if (operator === 'c') return { draft: replaceIn(draft, [from, to], ''), slice };
  // The last line is removed with the line break before it.
  const range: VimRange = to < text.length ? [from, to + 1] : [Math.max(0, from - 1), to];
  const left = replaceIn(draft, range, '');
  return {
    draft: clampCursorToLine(withCursor(left, firstNonBlank(left.text, Math.min(from, left.text.length)))),
    slice,
  };
}

export function putSlice(draft: Draft, slice: VimSlice, where: 'before' | 'behind', times: number): Draft {
  const { text, cursor } = draft;
  const many = timesSlice(slice, times);
  if (!slice.isLines) {
    const at = where === 'behind' && cursor < lineEnd(text, cursor) ? positionAfter(draft, cursor) : cursor;
    const put = withSlice(draft, at, many);
    return clampCursorToLine(withCursor(put, many.text === '' ? at : positionBefore(put, put.cursor)));
  }
  const at = where === 'behind' ? lineEnd(text, cursor) : lineStart(text, cursor);
  const opened = replaceIn(draft, [at, at], '\n');
  const from = where === 'behind' ? at + 1 : at;
  const put = withSlice(opened, from, many);
  return clampCursorToLine(withCursor(put, firstNonBlank(put.text, from)));
}

/** `r`: undefined if the line has fewer characters. */
export function replaceSigns(draft: Draft, sign: string, times: number): Draft | undefined {
  const { text, cursor } = draft;
  const end = lineEnd(text, cursor);
  let to = cursor;
  for (let left = times; left > 0; left--) {
    if (to >= end) return undefined;
    to = positionAfter(draft, to);
  }
  const replaced = replaceIn(draft, [cursor, to], sign.repeat(times));
  return clampCursorToLine(withCursor(replaced, replaced.cursor - sign.length));
}
