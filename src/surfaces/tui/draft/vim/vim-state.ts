import { type Draft, type DraftElement, positionOutsideElements, replaceIn } from '../draft.ts';
import type { VimFind, VimSearch } from './vim-motions.ts';
import type { VimRange } from './vim-text-objects.ts';

export type VimOperator = 'd' | 'y' | 'c';

export type VimPendingKey =
  | { readonly kind: 'g' }
  | { readonly kind: 'replace' }
  | { readonly kind: 'find'; readonly key: VimFind['key'] }
  | { readonly kind: 'object'; readonly around: 'i' | 'a' }
  | { readonly kind: 'search'; readonly search: VimSearch };

export interface VimOver {
  readonly before: Draft;
  readonly after: string;
  readonly sign: string;
}

/** A change for `.` to repeat: its keys, and the text typed after them. */
export interface VimChange {
  readonly keys: readonly string[];
  readonly typed: string;
}

/**
 * In insert and replace mode: the draft before the starting command, the one in which the user types, and the command's
 * keys.
 */
export interface VimInserting {
  readonly before: Draft;
  readonly from: Draft;
  readonly keys: readonly string[];
  /** In replace mode: what was typed since a key with another effect. */
  readonly over?: readonly VimOver[];
}

export interface VimState {
  readonly mode: 'normal' | 'insert' | 'replace';
  readonly digits: string;
  readonly operator: VimOperator | undefined;
  readonly operatorCount: number | undefined;
  readonly wait: VimPendingKey | undefined;
  readonly keys: readonly string[];
  readonly slice: VimSlice | undefined;
  readonly find: VimFind | undefined;
  readonly search: VimSearch | undefined;
  /** The search of the last key, if it found nothing. */
  readonly missed: VimSearch | undefined;
  readonly column: number | undefined;
  /** Drafts before each change, oldest first. */
  readonly past: readonly Draft[];
  /** Undone drafts, newest last. */
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

export function hasPendingKeys({ digits, operator, wait }: VimState): boolean {
  return digits !== '' || operator !== undefined || wait !== undefined;
}

/** The product of the counts before the operator and before the motion; undefined: none. */
export function countOf({ digits, operatorCount }: VimState): number | undefined {
  if (digits === '' && operatorCount === undefined) return undefined;
  return Math.min(mostTimes, (operatorCount ?? 1) * (digits === '' ? 1 : Number(digits)));
}

/** A slip on a digit must not create gigabytes of text. */
const mostTimes = 9999;
const mostPast = 200;

export function pushUndoState(state: VimState, before: Draft): VimState {
  return { ...state, past: [...state.past, before].slice(-mostPast), future: [] };
}

export function searchWords({ wait, missed }: VimState): string | undefined {
  if (wait?.kind === 'search') return wait.search.way + wait.search.typed;
  return missed === undefined ? undefined : `${missed.way}${missed.typed}: no match`;
}

/** Cut or copied text with its elements. `lines`: it is put on lines of its own. */
export interface VimSlice {
  readonly text: string;
  readonly elements: readonly DraftElement[];
  readonly isLines: boolean;
}

/** Extends a range to whole elements, so that none is cut in half. */
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

export function withSlice(draft: Draft, at: number, { text, elements }: Pick<VimSlice, 'text' | 'elements'>): Draft {
  const put = replaceIn(draft, [at, at], text);
  const added = elements.map((each) => ({ ...each, start: each.start + at, end: each.end + at }));
  return { ...put, elements: [...put.elements, ...added].toSorted((one, other) => one.start - other.start) };
}

export function timesSlice({ text, elements, isLines }: VimSlice, times: number): VimSlice {
  const part = isLines ? `${text}\n` : text;
  const all = Array.from({ length: times }, (_, at) =>
    elements.map((each) => ({ ...each, start: each.start + at * part.length, end: each.end + at * part.length })),
  ).flat();
  const repeated = part.repeat(times);
  return { text: isLines ? repeated.slice(0, -1) : repeated, elements: all, isLines };
}
