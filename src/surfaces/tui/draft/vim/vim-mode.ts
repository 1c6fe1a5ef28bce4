import type { TuiSession } from '../../session/session.ts';
import type { TuiScreen } from '../../screen/tui-screen.ts';
import { keyPress } from '../../screen/terminal/terminal-port.ts';
import type { ModalKeys, PressedSign } from '../composer.ts';
import { type Draft, insertInto, replaceIn, withCursor } from '../draft.ts';
import {
  columnAt,
  type MotionOptions,
  typedSearch,
  type TypedSearch,
  vimFind,
  type VimFind,
  vimMotion,
  type VimMove,
  vimSearch,
  type VimSearch,
} from './vim-motions.ts';
import {
  applyOperatorToLines,
  applyOperatorToMotion,
  applyOperatorToRange,
  cancelCommand,
  enterInsertMode,
  enterReplaceMode,
  leaveInsertMode,
  putSlice,
  redoChanges,
  replaceSigns,
  stepWithChange,
  stepWithOperator,
  undoChanges,
  type VimStep,
} from './vim-operators.ts';
import {
  clearPendingKeys,
  countOf,
  firstVimState,
  hasPendingKeys,
  pushUndoState,
  searchWords,
  type VimOperator,
  type VimState,
} from './vim-state.ts';
import {
  clampCursorToLine,
  firstNonBlank,
  lineEnd,
  lineStart,
  positionAfter,
  positionBefore,
  signKind,
  vimObject,
} from './vim-text-objects.ts';

/** Vim mode of the composer: the state of commands and the undo history. */
class VimMode implements ModalKeys {
  #state: VimState = firstVimState;
  /** The draft after the last key. Another draft was changed by other means, such as a paste. */
  #known: Draft | undefined;

  get mode(): VimState['mode'] {
    return this.#state.mode;
  }

  get search(): string | undefined {
    return searchWords(this.#state);
  }

  press({ name }: PressedSign, draft: Draft, options: VimKeyOptions): VimStep {
    const known = this.#known;
    if (this.mode === 'normal' && known !== undefined && known.text !== draft.text) {
      this.#state = pushUndoState(this.#state, known);
    }
    const step = vimKey(this.#state, draft, name, options);
    this.#state = step.state;
    return step;
  }

  shown(draft: Draft): void {
    this.#known = draft;
  }

  settled(draft: Draft): Draft {
    return this.mode === 'normal' ? clampCursorToLine(draft) : draft;
  }

  reset(): void {
    const { slice, find, search, change } = this.#state;
    this.#state = { ...firstVimState, slice, find, search, change };
    this.#known = undefined;
  }
}

export function vim(session: TuiSession): void {
  const { stage } = session.parts;
  const isOn = stage.composer.vim === undefined;
  switchVim(stage, isOn);
  // A user who enables it here is about to type.
  if (isOn) stage.composer.vimInput(keyPress('i'));
  session.notice(
    isOn
      ? 'Vim mode is on, in insert mode: Esc leaves it, i begins it again. `vim_mode_default = true` below [tui] in config.toml turns it on at every start.'
      : 'Vim mode is off.',
  );
}

export function switchVim(stage: Pick<TuiScreen, 'composer' | 'draw'>, isOn: boolean): void {
  stage.composer.vim = isOn ? new VimMode() : undefined;
  stage.draw();
}

interface VimKeyOptions {
  /** Up and down recall messages: the draft is empty, or a recalled one with the cursor at an end. */
  readonly recalls: boolean;
}

export function vimKey(state: VimState, draft: Draft, key: string, options: VimKeyOptions): VimStep {
  if (state.mode === 'insert') {
    return key === 'escape' ? leaveInsertMode(state, draft) : { state, draft, wants: 'passed' };
  }
  if (state.mode === 'replace') return replaceModeKey(state, draft, key);
  if (key === 'escape') {
    return hasPendingKeys(state) ? { state: clearPendingKeys(state), draft } : { state, draft, wants: 'passed' };
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

function waited(state: VimState, draft: Draft, key: string): VimStep {
  const { wait, operator } = state;
  const sign = key === 'space' ? ' ' : key;
  const isSign = [...sign].length === 1;
  switch (wait?.kind) {
    case 'g':
      return key === 'g'
        ? moveOrOperate(state, draft, vimMotion(draft, 'gg', motionOptions(state)))
        : cancelCommand(state, draft);
    case 'replace': {
      const replaced = isSign ? replaceSigns(draft, sign, countOf(state) ?? 1) : undefined;
      return replaced === undefined ? cancelCommand(state, draft) : stepWithChange(state, draft, replaced);
    }
    case 'find': {
      if (!isSign) return cancelCommand(state, draft);
      const find: VimFind = { key: wait.key, sign };
      return moveOrOperate({ ...state, find }, draft, vimFind(draft, find, countOf(state) ?? 1, false));
    }
    case 'object': {
      const range = vimObject(draft, wait.around, key);
      if (range === undefined || operator === undefined) return cancelCommand(state, draft);
      return stepWithOperator(state, draft, operator, applyOperatorToRange(draft, operator, range));
    }
    case 'search':
      return runTypedSearch(state, draft, typedSearch(wait.search, key), wait.search);
    case undefined:
      return cancelCommand(state, draft);
  }
}

function ofOperator(state: VimState, draft: Draft, key: string, operator: VimOperator): VimStep {
  if (key === operator) {
    const below = vimMotion(draft, 'j', { count: (countOf(state) ?? 1) - 1, column: 0 });
    const last = Math.max(draft.cursor, below?.to ?? draft.cursor);
    return stepWithOperator(state, draft, operator, applyOperatorToLines(draft, operator, [draft.cursor, last]));
  }
  if (key === 'i' || key === 'a') return { state: { ...state, wait: { kind: 'object', around: key } }, draft };
  return motionKey(state, draft, key) ?? cancelCommand(state, draft);
}

function command(state: VimState, draft: Draft, key: string, { recalls }: VimKeyOptions): VimStep {
  const { text, cursor } = draft;
  const count = countOf(state) ?? 1;
  const rest = (operator: VimOperator, motion: string): VimStep =>
    text === '' && operator !== 'c'
      ? cancelCommand(state, draft)
      : moveOrOperate({ ...state, operator }, draft, vimMotion(draft, motion, motionOptions(state)));
  switch (key) {
    case 'd':
    case 'y':
    case 'c':
      return {
        state: { ...state, operator: key, operatorCount: state.digits === '' ? undefined : count, digits: '' },
        draft,
      };
    case 'i':
      return enterInsertMode(state, draft, draft);
    case 'a':
      return enterInsertMode(
        state,
        draft,
        withCursor(draft, cursor < lineEnd(text, cursor) ? positionAfter(draft, cursor) : cursor),
      );
    case 'I':
      return enterInsertMode(state, draft, withCursor(draft, firstNonBlank(text, cursor)));
    case 'A':
      return enterInsertMode(state, draft, withCursor(draft, lineEnd(text, cursor)));
    case 'o':
      return enterInsertMode(state, draft, insertInto(withCursor(draft, lineEnd(text, cursor)), '\n'));
    case 'O': {
      const at = lineStart(text, cursor);
      return enterInsertMode(state, draft, withCursor(replaceIn(draft, [at, at], '\n'), at));
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
      if (state.slice === undefined) return cancelCommand(state, draft);
      return stepWithChange(state, draft, putSlice(draft, state.slice, key === 'p' ? 'behind' : 'before', count));
    }
    case 'u':
      return undoChanges(state, draft, count);
    case 'ctrl+r':
      return redoChanges(state, draft, count);
    case '.':
      return again(state, draft);
    case 'R':
      return enterReplaceMode(state, draft);
    case '!':
      return text === '' ? enterInsertMode(state, draft, insertInto(draft, key)) : cancelCommand(state, draft);
    case '/':
    case '?':
      if (text !== '') return motionKey(state, draft, key) ?? cancelCommand(state, draft);
      // In an empty draft, `/` begins a command and `?` opens help.
      return key === '/' ? enterInsertMode(state, draft, insertInto(draft, key)) : other(state, draft, key);
    case 'j':
    case 'k':
    case 'ctrl+j': {
      const way = key === 'k' ? 'older' : 'newer';
      if (recalls && state.digits === '') return { state: clearPendingKeys(state), draft, wants: way };
      return motionKey(state, draft, way === 'older' ? 'k' : 'j') ?? cancelCommand(state, draft);
    }
    default:
      return motionKey(state, draft, key) ?? other(state, draft, key);
  }
}

/** Never types a letter into the text. Keys that open help or type nothing are for others. */
function other(state: VimState, draft: Draft, key: string): VimStep {
  const isTyped = [...key].length === 1 || key === 'text';
  const isHelp = key === '?' && draft.text === '';
  return isTyped && !isHelp ? cancelCommand(state, draft) : { state: clearPendingKeys(state), draft, wants: 'passed' };
}

function again(state: VimState, draft: Draft): VimStep {
  const { change } = state;
  if (change === undefined) return cancelCommand(state, draft);
  let step: VimStep = { state: clearPendingKeys(state), draft };
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

function motionKey(state: VimState, draft: Draft, key: string): VimStep | undefined {
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
      if (state.find === undefined) return cancelCommand(state, draft);
      const find = key === ';' ? state.find : { ...state.find, key: turned[state.find.key] };
      return moveOrOperate(state, draft, vimFind(draft, find, countOf(state) ?? 1, true));
    }
    case '/':
    case '?':
      return { state: { ...state, wait: { kind: 'search', search: { way: key, typed: '' } } }, draft };
    case 'n':
    case 'N': {
      const { search } = state;
      if (search === undefined) return cancelCommand(state, draft);
      const way = (key === 'n') === (search.way === '/') ? '/' : '?';
      return toSearch(state, draft, { ...search, way });
    }
    default: {
      const isMotion = /^([hjklwbeWBEG0^$]|left|right|home|end|space|backspace)$/.test(key);
      return isMotion ? moveOrOperate(state, draft, vimMotion(draft, key, motionOptions(state)), key) : undefined;
    }
  }
}

const turned = { f: 'F', F: 'f', t: 'T', T: 't' } as const;

function motionOptions(state: VimState): MotionOptions {
  return { count: countOf(state), column: state.column };
}

function moveOrOperate(state: VimState, draft: Draft, to: VimMove | undefined, key = ''): VimStep {
  if (to === undefined) return cancelCommand(state, draft);
  const { operator } = state;
  if (operator !== undefined) {
    return stepWithOperator(
      state,
      draft,
      operator,
      applyOperatorToMotion(draft, operator, taken(draft, operator, to, key, state)),
    );
  }
  const column = key === 'j' || key === 'k' ? (state.column ?? columnAt(draft)) : key === '$' ? Infinity : undefined;
  return { state: { ...clearPendingKeys(state), column }, draft: clampCursorToLine(withCursor(draft, to.to)) };
}

/**
 * End of the range of an operator with a word motion: it stays on the line, and `cw` keeps the blanks after the word.
 */
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

function lastNonBlank(text: string, at: number): number {
  let to = at;
  while (to > 0 && /\s/.test(text[to - 1] ?? '')) to--;
  return to;
}

function wordBehind(draft: Draft, key: string, count: number): number {
  const own = vimObject(draft, 'i', key)?.[1] ?? draft.cursor;
  if (count === 1) return own;
  const rest = vimMotion(withCursor(draft, Math.max(draft.cursor, own - 1)), key === 'w' ? 'e' : 'E', {
    count: count - 1,
    column: undefined,
  });
  return rest === undefined ? own : positionAfter(draft, rest.to);
}

/** Continues typing a search, or runs it: an empty one repeats the last. */
function runTypedSearch(state: VimState, draft: Draft, next: TypedSearch, typed: VimSearch): VimStep {
  if (next === 'given-up') return cancelCommand(state, draft);
  if (next !== 'done') return { state: { ...state, wait: { kind: 'search', search: next } }, draft };
  const search = { ...typed, typed: typed.typed === '' ? (state.search?.typed ?? '') : typed.typed };
  return toSearch({ ...state, search }, draft, search);
}

function toSearch(state: VimState, draft: Draft, search: VimSearch): VimStep {
  const to = vimSearch(draft, search, countOf(state) ?? 1);
  if (to !== undefined) return moveOrOperate(state, draft, to);
  return { state: { ...clearPendingKeys(state), missed: search }, draft };
}

/** Handles a key in replace mode: typed text overwrites, and Backspace restores what was overwritten. */
function replaceModeKey(state: VimState, draft: Draft, key: string): VimStep {
  if (key === 'escape') return leaveInsertMode(state, draft);
  const { inserting } = state;
  const sign = key === 'space' ? ' ' : key;
  if (inserting === undefined) return { state, draft, wants: 'passed' };
  const { over = [] } = inserting;
  if (key === 'backspace' || key === 'ctrl+h') {
    const last = over.at(-1);
    const back = last?.after === draft.text ? last.before : withCursor(draft, leftOf(draft));
    return { state: { ...state, inserting: { ...inserting, over: over.slice(0, -1) } }, draft: back };
  }
  // A key with another effect ends what Backspace can restore.
  if ([...sign].length !== 1) {
    return { state: { ...state, inserting: { ...inserting, over: [] } }, draft, wants: 'passed' };
  }
  const { text, cursor } = draft;
  const end = cursor < lineEnd(text, cursor) ? positionAfter(draft, cursor) : cursor;
  const next = replaceIn(draft, [cursor, end], sign);
  const typed = { before: draft, after: next.text, sign };
  return { state: { ...state, inserting: { ...inserting, over: [...over, typed] } }, draft: next };
}

function leftOf(draft: Draft): number {
  const { text, cursor } = draft;
  return cursor > lineStart(text, cursor) ? positionBefore(draft, cursor) : cursor;
}
