import { type Draft, withCursor } from '../draft.ts';
import type { Operated } from './vim-edit.ts';
import { vimMotion } from './vim-motion.ts';
import { idle, remember, type VimOperator, type VimState } from './vim-state.ts';
import { lineStart, settled } from './vim-text.ts';

/** What a key has made of the draft. `passed`: it is no key of Vim here. `older`, `newer`: a message of before is wanted. */
export interface VimStep {
  readonly state: VimState;
  readonly draft: Draft;
  readonly wants?: 'passed' | 'older' | 'newer';
}

/** The command leads nowhere. */
export function fail(state: VimState, draft: Draft): VimStep {
  return { state: idle(state), draft };
}

export function changed(state: VimState, before: Draft, draft: Draft): VimStep {
  const change = { keys: state.keys, typed: '' };
  const remembered = before.text === draft.text ? state : remember(state, before);
  return { state: { ...idle(remembered), change, column: undefined }, draft };
}

export function operated(state: VimState, before: Draft, operator: VimOperator, { draft, slice }: Operated): VimStep {
  const kept = slice.text === '' && !slice.isLines ? state : { ...state, slice };
  if (operator === 'c') return insert(kept, before, draft);
  return operator === 'y' ? { state: { ...idle(kept), column: undefined }, draft } : changed(kept, before, draft);
}

export function insert(state: VimState, before: Draft, draft: Draft): VimStep {
  const inserting = { before, from: draft, keys: state.keys };
  return { state: { ...idle(state), mode: 'insert', inserting, column: undefined }, draft };
}

/** `R` */
export function typeOver(state: VimState, draft: Draft): VimStep {
  const inserting = { before: draft, from: draft, keys: state.keys, over: [] };
  return { state: { ...idle(state), mode: 'replace', inserting, column: undefined }, draft };
}

export function leaveInsert(state: VimState, draft: Draft): VimStep {
  const { inserting } = state;
  const normal: VimState = { ...idle(state), mode: 'normal', inserting: undefined };
  const back = draft.cursor > lineStart(draft.text, draft.cursor) ? vimMotion(draft, 'h', noOptions)?.to : undefined;
  const left = settled(withCursor(draft, back ?? draft.cursor));
  if (inserting === undefined) return { state: normal, draft: left };
  const { before, from, keys, over } = inserting;
  const typed = over === undefined ? typedBetween(from, draft) : over.map(({ sign }) => sign).join('');
  const change = { keys, typed };
  const next = { ...normal, change };
  return { state: before.text === draft.text ? next : remember(next, before), draft: left };
}

const noOptions = { count: undefined, column: undefined };

/** What was typed at the cursor; empty where something else was done. */
function typedBetween({ text, cursor }: Draft, now: Draft): string {
  const end = now.text.length - (text.length - cursor);
  const isTyped = end >= cursor && now.text.startsWith(text.slice(0, cursor)) && now.text.endsWith(text.slice(cursor));
  const hasElement = now.elements.some((each) => each.start < end && each.end > cursor);
  return isTyped && !hasElement ? now.text.slice(cursor, end) : '';
}

export function stepBack(state: VimState, draft: Draft, count: number): VimStep {
  let [past, future, shown] = [state.past, state.future, draft];
  for (let left = count; left > 0; left--) {
    const last = past.at(-1);
    if (last === undefined) break;
    [past, future, shown] = [past.slice(0, -1), [...future, shown], last];
  }
  return { state: { ...idle(state), past, future }, draft: settled(shown) };
}

export function stepForward(state: VimState, draft: Draft, count: number): VimStep {
  let [past, future, shown] = [state.past, state.future, draft];
  for (let left = count; left > 0; left--) {
    const last = future.at(-1);
    if (last === undefined) break;
    [past, future, shown] = [[...past, shown], future.slice(0, -1), last];
  }
  return { state: { ...idle(state), past, future }, draft: settled(shown) };
}
