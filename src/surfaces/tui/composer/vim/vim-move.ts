import { type Draft, withCursor } from '../draft.ts';
import { fail, operated, type VimStep } from './vim-change.ts';
import { operateTo } from './vim-edit.ts';
import { columnAt, type MotionOptions, vimFind, vimMotion, type VimMove } from './vim-motion.ts';
import { vimObject } from './vim-object.ts';
import { type TypedSearch, vimSearch, type VimSearch } from './vim-search.ts';
import { countOf, idle, type VimOperator, type VimState } from './vim-state.ts';
import { behindElement, lineEnd, settled, signKind } from './vim-text.ts';

/** Undefined: the key is no motion. */
export function motionKey(state: VimState, draft: Draft, key: string): VimStep | undefined {
  switch (key) {
    case 'g':
      return { state: { ...state, wait: { kind: 'g' } }, draft };
    case 'f':
    case 'F':
    case 't':
    case 'T':
      return { state: { ...state, wait: { kind: 'find', key } }, draft };
    case ';':
    case ',': {
      if (state.find === undefined) return fail(state, draft);
      const find = key === ';' ? state.find : { ...state.find, key: turned[state.find.key] };
      return move(state, draft, vimFind(draft, find, countOf(state) ?? 1, true));
    }
    case '/':
    case '?':
      return { state: { ...state, wait: { kind: 'search', search: { way: key, typed: '' } } }, draft };
    case 'n':
    case 'N': {
      const { search } = state;
      if (search === undefined) return fail(state, draft);
      const way = (key === 'n') === (search.way === '/') ? '/' : '?';
      return toSearch(state, draft, { ...search, way });
    }
    default: {
      const isMotion = /^([hjklwbeWBEG0^$]|left|right|home|end|space|backspace)$/.test(key);
      return isMotion ? move(state, draft, vimMotion(draft, key, motionOptions(state)), key) : undefined;
    }
  }
}

const turned = { f: 'F', F: 'f', t: 'T', T: 't' } as const;

export function motionOptions(state: VimState): MotionOptions {
  return { count: countOf(state), column: state.column };
}

/** The cursor goes there, or the operator does its work up to there. */
export function move(state: VimState, draft: Draft, to: VimMove | undefined, key = ''): VimStep {
  if (to === undefined) return fail(state, draft);
  const { operator } = state;
  if (operator !== undefined) {
    return operated(state, draft, operator, operateTo(draft, operator, taken(draft, operator, to, key, state)));
  }
  const column = key === 'j' || key === 'k' ? (state.column ?? columnAt(draft)) : key === '$' ? Infinity : undefined;
  return { state: { ...idle(state), column }, draft: settled(withCursor(draft, to.to)) };
}

/** Up to where an operator with a word goes: not into the next line, and `cw` leaves the blanks behind the word. */
function taken(draft: Draft, operator: VimOperator, to: VimMove, key: string, state: VimState): VimMove {
  if (key !== 'w' && key !== 'W') return to;
  const { text, cursor } = draft;
  if (operator === 'c' && signKind(text[cursor], 'big') !== 0) {
    const word = wordBehind(draft, key, countOf(state) ?? 1);
    return { to: word, takes: 'exclusive' };
  }
  const end = lineEnd(text, Math.max(cursor, lastNonBlank(text, to.to)));
  return { to: Math.min(to.to, Math.max(cursor, end)), takes: 'exclusive' };
}

/** Where the blanks before a place begin. */
function lastNonBlank(text: string, at: number): number {
  let to = at;
  while (to > 0 && /\s/.test(text[to - 1] ?? '')) to--;
  return to;
}

/** The end of the word at the cursor, or of one behind it. */
function wordBehind(draft: Draft, key: string, count: number): number {
  const own = vimObject(draft, 'i', key)?.[1] ?? draft.cursor;
  if (count === 1) return own;
  const rest = vimMotion(withCursor(draft, Math.max(draft.cursor, own - 1)), key === 'w' ? 'e' : 'E', {
    count: count - 1,
    column: undefined,
  });
  return rest === undefined ? own : behindElement(draft, rest.to);
}

/** A search that is typed on, or is run: an empty one is the last one again. */
export function searched(state: VimState, draft: Draft, next: TypedSearch, typed: VimSearch): VimStep {
  if (next === 'given-up') return fail(state, draft);
  if (next !== 'done') return { state: { ...state, wait: { kind: 'search', search: next } }, draft };
  const search = { ...typed, typed: typed.typed === '' ? (state.search?.typed ?? '') : typed.typed };
  return toSearch({ ...state, search }, draft, search);
}

function toSearch(state: VimState, draft: Draft, search: VimSearch): VimStep {
  const to = vimSearch(draft, search, countOf(state) ?? 1);
  if (to !== undefined) return move(state, draft, to);
  return { state: { ...idle(state), missed: search }, draft };
}
