import { type Draft, type DraftElement, positionOutsideElements, replaceIn } from '../draft.ts';
import type { VimFind, VimSearch } from './vim-motions.ts';
import type { VimRange } from './vim-text-objects.ts';

export type VimOperator = 'd' | 'y' | 'c';

/** What the next key completes. */
export type VimPendingKey =
  | { readonly kind: 'g' }
  | { readonly kind: 'replace' }
  | { readonly kind: 'find'; readonly key: VimFind['key'] }
  | { readonly kind: 'object'; readonly around: 'i' | 'a' }
  | { readonly kind: 'search'; readonly search: VimSearch };

/** A character that was typed in replace mode, with the draft before it and the text behind it. */
export interface VimOver {
  readonly before: Draft;
  readonly after: string;
  readonly sign: string;
}

/** A change that `.` does again: its keys, and what was typed behind them. */
export interface VimChange {
  readonly keys: readonly string[];
  readonly typed: string;
}

/** In insert and replace mode: the draft before the command that began it, the one in which the user types, and its keys. */
export interface VimInserting {
  readonly before: Draft;
  readonly from: Draft;
  readonly keys: readonly string[];
  /** In replace mode: what was typed since a key that did something else. */
  readonly over?: readonly VimOver[];
}

export interface VimState {
  readonly mode: 'normal' | 'insert' | 'replace';
  /** Digits that were typed. */
  readonly digits: string;
  readonly operator: VimOperator | undefined;
  /** Before the operator. */
  readonly operatorCount: number | undefined;
  readonly wait: VimPendingKey | undefined;
  /** Of the command that is being typed. */
  readonly keys: readonly string[];
  readonly slice: VimSlice | undefined;
  readonly find: VimFind | undefined;
  /** What was searched for last. */
  readonly search: VimSearch | undefined;
  /** A search of the last key that found nothing. */
  readonly missed: VimSearch | undefined;
  readonly column: number | undefined;
  /** Drafts before each change, the oldest first. */
  readonly past: readonly Draft[];
  /** Those that were taken back, the newest last. */
  readonly future: readonly Draft[];
  readonly inserting: VimInserting | undefined;
  readonly change: VimChange | undefined;
}

export const firstVimState: VimState = {
  mode: 'normal',
  digits: '',
  operator: undefined,
  operatorCount: undefined,
  wait: undefined,
  keys: [],
  slice: undefined,
  find: undefined,
  search: undefined,
  missed: undefined,
  column: undefined,
  past: [],
  future: [],
  inserting: undefined,
  change: undefined,
};

/** A command is over, or given up. */
export function clearPendingKeys(state: VimState): VimState {
  return {
    ...state,
    digits: '',
    operator: undefined,
    operatorCount: undefined,
    wait: undefined,
    missed: undefined,
    keys: [],
  };
}

/** Some keys of a command were typed. */
export function hasPendingKeys({ digits, operator, wait }: VimState): boolean {
  return digits !== '' || operator !== undefined || wait !== undefined;
}

/** The counts before the operator and before the motion, multiplied; undefined: none. */
export function countOf({ digits, operatorCount }: VimState): number | undefined {
  if (digits === '' && operatorCount === undefined) return undefined;
  return Math.min(mostTimes, (operatorCount ?? 1) * (digits === '' ? 1 : Number(digits)));
}

/** A slip of the finger on a digit must not make a text of gigabytes. */
const mostTimes = 9999;
/** As many changes can be taken back. */
const mostPast = 200;

/** A change from one draft to another. */
export function pushUndoState(state: VimState, before: Draft): VimState {
  return { ...state, past: [...state.past, before].slice(-mostPast), future: [] };
}

/** A search as the row below the composer shows it. Undefined: there is none. */
export function searchWords({ wait, missed }: VimState): string | undefined {
  if (wait?.kind === 'search') return wait.search.way + wait.search.typed;
  return missed === undefined ? undefined : `${missed.way}${missed.typed}: no match`;
}

/** What was cut or copied, with the elements in it. `lines`: it goes on lines of its own. */
export interface VimSlice {
  readonly text: string;
  readonly elements: readonly DraftElement[];
  readonly isLines: boolean;
}

/** No element is cut in half: one that the range touches is in it. */
function wholeRange({ elements }: Draft, [from, to]: VimRange): VimRange {
  return [positionOutsideElements(elements, from, 'start'), positionOutsideElements(elements, to, 'end')];
}

export function vimSliceOf(draft: Draft, range: VimRange, isLines: boolean): VimSlice {
  const [from, to] = wholeRange(draft, range);
  const elements = draft.elements
    .filter(({ start, end }) => start >= from && end <= to)
    .map((each) => ({ ...each, start: each.start - from, end: each.end - from }));
  return { text: draft.text.slice(from, to), elements, isLines };
}

/** The draft with a slice put in. The cursor stands behind it. */
export function withSlice(draft: Draft, at: number, { text, elements }: Pick<VimSlice, 'text' | 'elements'>): Draft {
  const put = replaceIn(draft, [at, at], text);
  const added = elements.map((each) => ({ ...each, start: each.start + at, end: each.end + at }));
  return { ...put, elements: [...put.elements, ...added].toSorted((one, other) => one.start - other.start) };
}

/** Several times, one behind the other. */
export function timesSlice({ text, elements, isLines }: VimSlice, times: number): VimSlice {
  const part = isLines ? `${text}\n` : text;
  const all = Array.from({ length: times }, (_, at) =>
    elements.map((each) => ({ ...each, start: each.start + at * part.length, end: each.end + at * part.length })),
  ).flat();
  const repeated = part.repeat(times);
  return { text: isLines ? repeated.slice(0, -1) : repeated, elements: all, isLines };
}
