import type { Draft } from '../draft.ts';
import type { VimFind } from './vim-motion.ts';
import type { VimSearch } from './vim-search.ts';
import type { VimSlice } from './vim-slice.ts';

export type VimOperator = 'd' | 'y' | 'c';

/** What the next key completes. */
export type VimWait =
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
  readonly wait: VimWait | undefined;
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
export function idle(state: VimState): VimState {
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
export function isBegun({ digits, operator, wait }: VimState): boolean {
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
export function remember(state: VimState, before: Draft): VimState {
  return { ...state, past: [...state.past, before].slice(-mostPast), future: [] };
}

/** A search as the row below the composer shows it. Undefined: there is none. */
export function searchWords({ wait, missed }: VimState): string | undefined {
  if (wait?.kind === 'search') return wait.search.way + wait.search.typed;
  return missed === undefined ? undefined : `${missed.way}${missed.typed}: no match`;
}
