import { type Draft, insertInto, replaceIn, withCursor } from '../draft.ts';
import {
  changed,
  fail,
  insert,
  leaveInsert,
  operated,
  stepBack,
  stepForward,
  typeOver,
  type VimStep,
} from './vim-change.ts';
import { operateLines, operateRange, putSlice, replaceSigns } from './vim-edit.ts';
import { vimFind, vimMotion, type VimFind } from './vim-motion.ts';
import { motionKey, motionOptions, move, searched } from './vim-move.ts';
import { vimObject } from './vim-object.ts';
import { overKey } from './vim-over.ts';
import { typedSearch } from './vim-search.ts';
import { countOf, idle, isBegun, type VimOperator, type VimState } from './vim-state.ts';
import { behindElement, firstNonBlank, lineEnd, lineStart } from './vim-text.ts';

export interface VimKeyOptions {
  /** Up and down recall messages of before: the draft is empty, or one of them with the cursor at an end. */
  readonly recalls: boolean;
}

/** What a key does. `key`: by its name, a character as itself. */
export function vimKey(state: VimState, draft: Draft, key: string, options: VimKeyOptions): VimStep {
  if (state.mode === 'insert') {
    return key === 'escape' ? leaveInsert(state, draft) : { state, draft, wants: 'passed' };
  }
  if (state.mode === 'replace') return overKey(state, draft, key);
  if (key === 'escape') {
    return isBegun(state) ? { state: idle(state), draft } : { state, draft, wants: 'passed' };
  }
  const typed = { ...state, missed: undefined, keys: [...state.keys, key] };
  const { wait } = state;
  if (wait !== undefined) return waited(typed, draft, key);
  if (/^[1-9]$/.test(key) || (key === '0' && state.digits !== '')) {
    return { state: { ...typed, digits: (state.digits + key).slice(0, 6) }, draft };
  }
  if (state.operator !== undefined) return ofOperator(typed, draft, key, state.operator);
  return command(typed, draft, key, options);
}

/** The second part of `gg`, `rx`, `fx` and `iw`. */
function waited(state: VimState, draft: Draft, key: string): VimStep {
  const { wait, operator } = state;
  const sign = key === 'space' ? ' ' : key;
  const isSign = [...sign].length === 1;
  switch (wait?.kind) {
    case 'g':
      return key === 'g' ? move(state, draft, vimMotion(draft, 'gg', motionOptions(state))) : fail(state, draft);
    case 'replace': {
      const replaced = isSign ? replaceSigns(draft, sign, countOf(state) ?? 1) : undefined;
      return replaced === undefined ? fail(state, draft) : changed(state, draft, replaced);
    }
    case 'find': {
      if (!isSign) return fail(state, draft);
      const find: VimFind = { key: wait.key, sign };
      return move({ ...state, find }, draft, vimFind(draft, find, countOf(state) ?? 1, false));
    }
    case 'object': {
      const range = vimObject(draft, wait.around, key);
      if (range === undefined || operator === undefined) return fail(state, draft);
      return operated(state, draft, operator, operateRange(draft, operator, range));
    }
    case 'search':
      return searched(state, draft, typedSearch(wait.search, key), wait.search);
    case undefined:
      return fail(state, draft);
  }
}

function ofOperator(state: VimState, draft: Draft, key: string, operator: VimOperator): VimStep {
  if (key === operator) {
    const below = vimMotion(draft, 'j', { count: (countOf(state) ?? 1) - 1, column: 0 });
    const last = Math.max(draft.cursor, below?.to ?? draft.cursor);
    return operated(state, draft, operator, operateLines(draft, operator, [draft.cursor, last]));
  }
  if (key === 'i' || key === 'a') return { state: { ...state, wait: { kind: 'object', around: key } }, draft };
  return motionKey(state, draft, key) ?? fail(state, draft);
}

function command(state: VimState, draft: Draft, key: string, { recalls }: VimKeyOptions): VimStep {
  const { text, cursor } = draft;
  const count = countOf(state) ?? 1;
  const rest = (operator: VimOperator, motion: string): VimStep =>
    text === '' && operator !== 'c'
      ? fail(state, draft)
      : move({ ...state, operator }, draft, vimMotion(draft, motion, motionOptions(state)));
  switch (key) {
    case 'd':
    case 'y':
    case 'c':
      return {
        state: { ...state, operator: key, operatorCount: state.digits === '' ? undefined : count, digits: '' },
        draft,
      };
    case 'i':
      return insert(state, draft, draft);
    case 'a':
      return insert(
        state,
        draft,
        withCursor(draft, cursor < lineEnd(text, cursor) ? behindElement(draft, cursor) : cursor),
      );
    case 'I':
      return insert(state, draft, withCursor(draft, firstNonBlank(text, cursor)));
    case 'A':
      return insert(state, draft, withCursor(draft, lineEnd(text, cursor)));
    case 'o':
      return insert(state, draft, insertInto(withCursor(draft, lineEnd(text, cursor)), '\n'));
    case 'O': {
      const at = lineStart(text, cursor);
      return insert(state, draft, withCursor(replaceIn(draft, [at, at], '\n'), at));
    }
    case 'x':
    case 'delete':
      return rest('d', 'l');
    case 'X':
      return rest('d', 'h');
    case 's':
      return rest('c', 'l');
    case 'D':
      return rest('d', '$');
    case 'C':
      return rest('c', '$');
    case 'S':
      return ofOperator({ ...state, operator: 'c' }, draft, 'c', 'c');
    case 'Y':
      return ofOperator({ ...state, operator: 'y' }, draft, 'y', 'y');
    case 'r':
      return { state: { ...state, wait: { kind: 'replace' } }, draft };
    case 'p':
    case 'P': {
      if (state.slice === undefined) return fail(state, draft);
      return changed(state, draft, putSlice(draft, state.slice, key === 'p' ? 'behind' : 'before', count));
    }
    case 'u':
      return stepBack(state, draft, count);
    case 'ctrl+r':
      return stepForward(state, draft, count);
    case '.':
      return again(state, draft);
    case 'R':
      return typeOver(state, draft);
    case '!':
      return text === '' ? insert(state, draft, insertInto(draft, key)) : fail(state, draft);
    case '/':
    case '?':
      if (text !== '') return motionKey(state, draft, key) ?? fail(state, draft);
      // In an empty draft they begin a command, and open help.
      return key === '/' ? insert(state, draft, insertInto(draft, key)) : other(state, draft, key);
    case 'j':
    case 'k':
    case 'ctrl+j': {
      const way = key === 'k' ? 'older' : 'newer';
      if (recalls && state.digits === '') return { state: idle(state), draft, wants: way };
      return motionKey(state, draft, way === 'older' ? 'k' : 'j') ?? fail(state, draft);
    }
    default:
      return motionKey(state, draft, key) ?? other(state, draft, key);
  }
}

/** No letter goes into the text. What opens help, and keys that type nothing, are for others. */
function other(state: VimState, draft: Draft, key: string): VimStep {
  const isTyped = [...key].length === 1 || key === 'text';
  const isHelp = key === '?' && draft.text === '';
  return isTyped && !isHelp ? fail(state, draft) : { state: idle(state), draft, wants: 'passed' };
}

/** The last change once more, as if its keys were pressed. */
function again(state: VimState, draft: Draft): VimStep {
  const { change } = state;
  if (change === undefined) return fail(state, draft);
  let step: VimStep = { state: idle(state), draft };
  for (const key of change.keys) step = vimKey(step.state, step.draft, key, { recalls: false });
  if (step.state.mode === 'replace') {
    for (const sign of change.typed) step = vimKey(step.state, step.draft, sign, { recalls: false });
    step = vimKey(step.state, step.draft, 'escape', { recalls: false });
  }
  if (step.state.mode === 'insert') {
    step = vimKey(step.state, insertInto(step.draft, change.typed), 'escape', { recalls: false });
  }
  return { state: { ...step.state, change }, draft: step.draft };
}
