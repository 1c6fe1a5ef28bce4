import type { TuiSession } from '../../session/session.ts';
import type { TuiScreen } from '../../screen/tui-screen.ts';
import { type KeyPress, keyPress } from '../../screen/terminal/terminal-port.ts';
import { insertInto, insertPart, lineEnd, replaceRange, characterClassOf, withCursor } from '../draft.ts';
import type { Draft, DraftRange } from '../draft.ts';
import { cursorColumn, isVimMotion, vimFind, vimMotion, vimSearch } from './vim-motions.ts';
import type { VimMove, VimSearch } from './vim-motions.ts';
import {
  clearPendingKeys,
  vimCount,
  firstVimState,
  hasPendingKeys,
  pushUndoState,
  timesSlice,
  vimSearchText,
  vimSliceOf,
} from './vim-state.ts';
import type { VimOperator, VimSlice, VimState } from './vim-state.ts';
import {
  clampCursorToLine,
  firstNonBlank,
  positionLeft,
  lineStart,
  positionAfter,
  positionBefore,
  positionRight,
  vimObject,
} from './vim-text-objects.ts';

/** Vim mode of the composer: normal mode runs commands, insert mode types, replace mode overwrites. */
export class VimMode {
  #state: VimState = firstVimState;
  /** The draft after the last key. If the text differs now, something else changed it, such as a paste. */
  #known: Draft | undefined;

  get mode(): VimState['mode'] {
    return this.#state.mode;
  }

  /** The search text, while it is typed or if it was not found. */
  get search(): string | undefined {
    return vimSearchText(this.#state);
  }

  press({ name }: Pick<KeyPress, 'name'>, draft: Draft, options: VimKeyOptions): VimStep {
    const known = this.#known;
    if (this.mode === 'normal' && known !== undefined && known.text !== draft.text)
      this.#state = pushUndoState(this.#state, known);
    const step = vimKey(this.#state, draft, name, options);
    this.#state = step.state;
    return step;
  }

  shown(draft: Draft): void {
    this.#known = draft;
  }

  /** The draft, with the cursor moved to a place that the mode allows. */
  settled(draft: Draft): Draft {
    return this.mode === 'normal' ? clampCursorToLine(draft) : draft;
  }

  /** Forgets the undo history, after the draft was sent or dropped. */
  reset(): void {
    const { slice, find, search, change } = this.#state;
    this.#state = { ...firstVimState, slice, find, search, change };
    this.#known = undefined;
  }
}

export function toggleVimMode(session: TuiSession): void {
  const { stage } = session.parts;
  const isOn = stage.composer.vim === undefined;
  setVimMode(stage, isOn);
  // A user who enables it here is about to type.
  if (isOn) stage.composer.vimInput(keyPress('i'));
  const how =
    'Esc leaves it, i begins it again. `vim_mode_default = true` below [tui] in config.toml turns it on at every start.';
  session.notice(isOn ? `Vim mode is on, in insert mode: ${how}` : 'Vim mode is off.');
}

export function setVimMode(stage: Pick<TuiScreen, 'composer' | 'draw'>, isOn: boolean): void {
  stage.composer.vim = isOn ? new VimMode() : undefined;
  stage.draw();
}

interface VimKeyOptions {
  /** Up and down recall messages: the draft is empty, or a recalled one with the cursor at an end. */
  readonly recalls: boolean;
}

export function vimKey(state: VimState, draft: Draft, key: string, options: VimKeyOptions): VimStep {
  if (state.mode === 'insert') return key === 'escape' ? leaveInsertMode(state, draft) : passed(state, draft);
  if (state.mode === 'replace') return replaceModeKey(state, draft, key);
  if (key === 'escape') return hasPendingKeys(state) ? cancelCommand(state, draft) : passed(state, draft);
  const typed = { ...state, missed: undefined, keys: [...state.keys, key] };
  if (state.wait !== undefined) return waited(typed, draft, key);
  if (/^[1-9]$/.test(key) || (key === '0' && state.digits !== ''))
    return { state: { ...typed, digits: (state.digits + key).slice(0, 6) }, draft };
  if (state.operator !== undefined) return ofOperator(typed, draft, key, state.operator);
  return command(typed, draft, key, options);
}

const passed = (state: VimState, draft: Draft): VimStep => ({ state, draft, wants: 'passed' });
const waitFor = (now: VimState, draft: Draft, wait: VimState['wait']): VimStep => ({ state: { ...now, wait }, draft });

/** The character that a key types; undefined: it types none. */
function signOf(key: string): string | undefined {
  const sign = key === 'space' ? ' ' : key;
  return [...sign].length === 1 ? sign : undefined;
}

function waited(state: VimState, draft: Draft, key: string): VimStep {
  const { wait, operator } = state;
  const count = vimCount(state) ?? 1;
  const sign = signOf(key);
  if (wait?.kind === 'search') return typeSearch(state, draft, wait.search, key);
  if (wait?.kind === 'g' && key === 'g') return moveByKey(state, draft, 'gg');
  if (wait?.kind === 'replace' && sign !== undefined) {
    const replaced = replaceCharacters(draft, sign, count);
    if (replaced !== undefined) return stepWithChange(state, draft, replaced);
  }
  if (wait?.kind === 'find' && sign !== undefined) {
    const find = { key: wait.key, sign };
    return moveOrOperate({ ...state, find }, draft, vimFind(draft, find, count, false));
  }
  const range = wait?.kind === 'object' ? vimObject(draft, wait.around, key) : undefined;
  if (range === undefined || operator === undefined) return cancelCommand(state, draft);
  return stepWithOperator(state, draft, operator, applyOperatorToRange(draft, operator, range));
}

function ofOperator(state: VimState, draft: Draft, key: string, operator: VimOperator): VimStep {
  if (key === operator) {
    const below = vimMotion(draft, 'j', { count: (vimCount(state) ?? 1) - 1, column: 0 });
    const last = Math.max(draft.cursor, below?.to ?? draft.cursor);
    return stepWithOperator(state, draft, operator, applyOperatorToLines(draft, operator, [draft.cursor, last]));
  }
  if (key === 'i' || key === 'a') return waitFor(state, draft, { kind: 'object', around: key });
  return motionKey(state, draft, key) ?? cancelCommand(state, draft);
}

/** Keys that begin insert mode, with the draft in which the user then types. */
const insertKeys: Readonly<Record<string, (draft: Draft) => Draft>> = {
  i: (draft) => draft,
  a: (draft) => withCursor(draft, positionRight(draft)),
  I: (draft) => withCursor(draft, firstNonBlank(draft.text, draft.cursor)),
  A: (draft) => withCursor(draft, lineEnd(draft.text, draft.cursor)),
  o: (draft) => insertInto(withCursor(draft, lineEnd(draft.text, draft.cursor)), '\n'),
  O(draft) {
    const at = lineStart(draft.text, draft.cursor);
    return withCursor(replaceRange(draft, [at, at], '\n'), at);
  },
};

/** Keys that are short for an operator with a motion (`x` for `dl`), or for one on whole lines (`S` for `cc`). */
const operatorKeys: Readonly<Record<string, readonly [VimOperator, key: string]>> = {
  x: ['d', 'l'],
  delete: ['d', 'l'],
  X: ['d', 'h'],
  s: ['c', 'l'],
  D: ['d', '$'],
  C: ['c', '$'],
  S: ['c', 'c'],
  Y: ['y', 'y'],
};

function command(state: VimState, draft: Draft, key: string, { recalls }: VimKeyOptions): VimStep {
  const count = vimCount(state) ?? 1;
  const isEmpty = draft.text === '';
  const inserted = insertKeys[key]?.(draft);
  if (inserted !== undefined) return enterInsertMode(state, draft, inserted);
  const [operator, motion] = operatorKeys[key] ?? [];
  if (operator === 'd' && isEmpty) return cancelCommand(state, draft);
  if (operator !== undefined) return ofOperator({ ...state, operator }, draft, motion!, operator);
  // In an empty draft, `!` and `/` begin a command and `?` opens help.
  if (isEmpty && key === '?') return other(state, draft, key);
  if (isEmpty && /^[!/]$/.test(key)) return enterInsertMode(state, draft, insertInto(draft, key));
  if (recalls && state.digits === '' && /^(?:j|k|ctrl\+j)$/.test(key))
    return { state: clearPendingKeys(state), draft, wants: key === 'k' ? 'older' : 'newer' };
  return commandKeys[key]?.(state, draft, key, count) ?? motionKey(state, draft, key) ?? other(state, draft, key);
}

type KeyAct = (state: VimState, draft: Draft, key: string, count: number) => VimStep;

const beginOperator: KeyAct = (state, draft, key, count) => {
  const operatorCount = state.digits === '' ? undefined : count;
  return { state: { ...state, operator: key as VimOperator, operatorCount, digits: '' }, draft };
};
const put: KeyAct = (state, draft, key, count) => {
  if (state.slice === undefined) return cancelCommand(state, draft);
  return stepWithChange(state, draft, putSlice(draft, state.slice, key === 'p' ? 'behind' : 'before', count));
};
const commandKeys: Readonly<Record<string, KeyAct>> = {
  d: beginOperator,
  y: beginOperator,
  c: beginOperator,
  p: put,
  P: put,
  r: (state, draft) => waitFor(state, draft, { kind: 'replace' }),
  R: (state, draft) => enterInsertMode(state, draft, draft, 'replace'),
  u: undoOrRedo,
  'ctrl+r': undoOrRedo,
  '.': (state, draft) => again(state, draft),
  'ctrl+j': (state, draft) => moveByKey(state, draft, 'j'),
};

/** Drops a key without a meaning, so that it types no letter. Passes on keys that open help or type nothing. */
function other(state: VimState, draft: Draft, key: string): VimStep {
  const isTyped = [...key].length === 1 || key === 'text';
  const isHelp = key === '?' && draft.text === '';
  return isTyped && !isHelp ? cancelCommand(state, draft) : passed(clearPendingKeys(state), draft);
}

function again(state: VimState, draft: Draft): VimStep {
  const { change } = state;
  let step = cancelCommand(state, draft);
  if (change === undefined) return step;
  const press = (key: string): void => void (step = vimKey(step.state, step.draft, key, { recalls: false }));
  for (const key of change.keys) press(key);
  if (step.state.mode === 'replace') for (const sign of change.typed) press(sign);
  if (step.state.mode === 'insert') step = { ...step, draft: insertInto(step.draft, change.typed) };
  if (step.state.mode !== 'normal') press('escape');
  return { state: { ...step.state, change }, draft: step.draft };
}

const turned = { f: 'F', F: 'f', t: 'T', T: 't' } as const;

function motionKey(state: VimState, draft: Draft, key: string): VimStep | undefined {
  const { find, search } = state;
  if (key === 'g') return waitFor(state, draft, { kind: 'g' });
  if (key === '/' || key === '?') return waitFor(state, draft, { kind: 'search', search: { way: key, typed: '' } });
  if (Object.hasOwn(turned, key)) return waitFor(state, draft, { kind: 'find', key: key as keyof typeof turned });
  if (key === ';' || key === ',') {
    const repeated = find && (key === ';' ? find : { ...find, key: turned[find.key] });
    return moveOrOperate(state, draft, repeated && vimFind(draft, repeated, vimCount(state) ?? 1, true));
  }
  if (key !== 'n' && key !== 'N') return isVimMotion(key) ? moveByKey(state, draft, key) : undefined;
  if (search === undefined) return cancelCommand(state, draft);
  return toSearch(state, draft, { ...search, way: (key === 'n') === (search.way === '/') ? '/' : '?' });
}

const moveByKey = (state: VimState, draft: Draft, key: string): VimStep =>
  moveOrOperate(state, draft, vimMotion(draft, key, { count: vimCount(state), column: state.column }), key);

function moveOrOperate(state: VimState, draft: Draft, to: VimMove | undefined, key = ''): VimStep {
  if (to === undefined) return cancelCommand(state, draft);
  const { operator } = state;
  if (operator !== undefined) {
    const move = taken(draft, operator, to, key, state);
    return stepWithOperator(state, draft, operator, applyOperatorToMotion(draft, operator, move));
  }
  const column =
    key === 'j' || key === 'k' ? (state.column ?? cursorColumn(draft)) : key === '$' ? Infinity : undefined;
  return { state: { ...clearPendingKeys(state), column }, draft: clampCursorToLine(draft, to.to) };
}

/** Limits an operator with a word motion: it stays on its line, and `cw` keeps the blanks after the word. */
function taken(draft: Draft, operator: VimOperator, to: VimMove, key: string, state: VimState): VimMove {
  if (key !== 'w' && key !== 'W') return to;
  const { text, cursor } = draft;
  if (operator === 'c' && characterClassOf(text[cursor], 'big') !== 'blank')
    return { to: wordBehind(draft, key, vimCount(state) ?? 1), takes: 'exclusive' };
  const end = lineEnd(text, Math.max(cursor, text.slice(0, to.to).trimEnd().length));
  return { to: Math.min(to.to, Math.max(cursor, end)), takes: 'exclusive' };
}

function wordBehind(draft: Draft, key: string, count: number): number {
  const own = vimObject(draft, 'i', key)?.[1] ?? draft.cursor;
  if (count === 1) return own;
  const from = withCursor(draft, Math.max(draft.cursor, own - 1));
  const rest = vimMotion(from, key === 'w' ? 'e' : 'E', { count: count - 1 });
  return rest === undefined ? own : positionAfter(draft, rest.to);
}

/** Continues typing a search, or runs it: an empty one repeats the last. */
function typeSearch(state: VimState, draft: Draft, search: VimSearch, key: string): VimStep {
  const { typed } = search;
  if (key === 'enter') {
    const whole = { ...search, typed: typed === '' ? (state.search?.typed ?? '') : typed };
    return toSearch({ ...state, search: whole }, draft, whole);
  }
  const isBack = key === 'backspace' || key === 'ctrl+h';
  if (key === 'ctrl+c' || (isBack && typed === '')) return cancelCommand(state, draft);
  const next = isBack ? [...typed].slice(0, -1).join('') : key === 'ctrl+u' ? '' : typed + (signOf(key) ?? '');
  return waitFor(state, draft, { kind: 'search', search: { ...search, typed: next } });
}

function toSearch(state: VimState, draft: Draft, search: VimSearch): VimStep {
  const to = vimSearch(draft, search, vimCount(state) ?? 1);
  if (to !== undefined) return moveOrOperate(state, draft, to);
  return { state: { ...clearPendingKeys(state), missed: search }, draft };
}

/** Handles a key in replace mode: typed text overwrites, and Backspace restores what was overwritten. */
function replaceModeKey(state: VimState, draft: Draft, key: string): VimStep {
  if (key === 'escape') return leaveInsertMode(state, draft);
  const { inserting } = state;
  if (inserting === undefined) return passed(state, draft);
  const { over = [] } = inserting;
  const sign = signOf(key);
  const step = (left: typeof over, after: Draft): VimStep => ({
    state: { ...state, inserting: { ...inserting, over: left } },
    draft: after,
  });
  if (key === 'backspace' || key === 'ctrl+h') {
    const last = over.at(-1);
    return step(over.slice(0, -1), last?.after === draft.text ? last.before : withCursor(draft, positionLeft(draft)));
  }
  // After any other key, Backspace restores nothing that was overwritten before it.
  if (sign === undefined) return { ...step([], draft), wants: 'passed' };
  const next = replaceRange(draft, [draft.cursor, positionRight(draft)], sign);
  return step([...over, { before: draft, after: next.text, sign }], next);
}

/** The result of a key. `passed`: it is no Vim key here. `older`, `newer`: recall another message. */
type VimStep = { readonly state: VimState; readonly draft: Draft; readonly wants?: 'passed' | 'older' | 'newer' };
type TypingMode = Exclude<VimState['mode'], 'normal'>;
const cancelCommand = (state: VimState, draft: Draft): VimStep => ({ state: clearPendingKeys(state), draft });

function stepWithChange(state: VimState, before: Draft, draft: Draft): VimStep {
  const change = { keys: state.keys, typed: '' };
  const remembered = before.text === draft.text ? state : pushUndoState(state, before);
  return { state: { ...clearPendingKeys(remembered), change, column: undefined }, draft };
}

function stepWithOperator(state: VimState, before: Draft, operator: VimOperator, done: OperatorResult): VimStep {
  const { draft, slice } = done;
  const kept = slice.text === '' && !slice.isLines ? state : { ...state, slice };
  if (operator === 'c') return enterInsertMode(kept, before, draft);
  if (operator === 'd') return stepWithChange(kept, before, draft);
  return { state: { ...clearPendingKeys(kept), column: undefined }, draft };
}

function enterInsertMode(state: VimState, before: Draft, draft: Draft, mode: TypingMode = 'insert'): VimStep {
  const inserting = { before, from: draft, keys: state.keys, over: mode === 'replace' ? [] : undefined };
  return { state: { ...clearPendingKeys(state), mode, inserting, column: undefined }, draft };
}

function leaveInsertMode(state: VimState, draft: Draft): VimStep {
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

function undoOrRedo(state: VimState, draft: Draft, key: string, count: number): VimStep {
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

function applyOperatorToMotion(draft: Draft, operator: VimOperator, { to, takes }: VimMove): OperatorResult {
  const [first, last] = [Math.min(draft.cursor, to), Math.max(draft.cursor, to)];
  if (takes === 'lines') return applyOperatorToLines(draft, operator, [first, last]);
  return applyOperatorToRange(draft, operator, [first, takes === 'inclusive' ? positionAfter(draft, last) : last]);
}

function applyOperatorToRange(draft: Draft, operator: VimOperator, range: DraftRange): OperatorResult {
  const slice = vimSliceOf(draft, range, false);
  if (operator === 'y') return { draft: clampCursorToLine(draft, range[0]), slice };
  const left = range[0] === range[1] ? withCursor(draft, range[0]) : replaceRange(draft, range, '');
  return { draft: operator === 'c' ? left : clampCursorToLine(left), slice };
}

function applyOperatorToLines(draft: Draft, operator: VimOperator, [first, last]: DraftRange): OperatorResult {
  const { text } = draft;
  const [from, to] = [lineStart(text, first), lineEnd(text, last)];
  const slice = vimSliceOf(draft, [from, to], true);
  if (operator === 'y') return { draft: clampCursorToLine(draft, Math.min(first, last)), slice };
  if (operator === 'c') return { draft: replaceRange(draft, [from, to], ''), slice };
  // The last line is removed with the line break before it.
  const left = replaceRange(draft, to < text.length ? [from, to + 1] : [Math.max(0, from - 1), to], '');
  return { draft: clampCursorToLine(left, firstNonBlank(left.text, Math.min(from, left.text.length))), slice };
}

function putSlice(draft: Draft, slice: VimSlice, where: 'before' | 'behind', times: number): Draft {
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
function replaceCharacters(draft: Draft, sign: string, times: number): Draft | undefined {
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
