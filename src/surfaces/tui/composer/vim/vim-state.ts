import type { Draft } from '../draft.ts';
import type { VimFind } from './vim-motion.ts';
import type { VimSlice } from './vim-slice.ts';

export type VimOperator = 'd' | 'y' | 'c';

/** What the next key completes. */
export type VimWait =
  | { readonly kind: 'g' }
  | { readonly kind: 'replace' }
  | { readonly kind: 'find'; readonly key: VimFind['key'] }
  | { readonly kind: 'object'; readonly around: 'i' | 'a' };

/** A change that `.` does again: its keys, and what was typed behind them. */
export interface VimChange {
  readonly keys: readonly string[];
  readonly typed: string;
}

export interface VimState {
  readonly mode: 'normal' | 'insert';
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
  readonly column: number | undefined;
  /** Drafts before each change, the oldest first. */
  readonly past: readonly Draft[];
  /** Those that were taken back, the newest last. */
  readonly future: readonly Draft[];
  /** In insert mode: the draft before the command that began it, the one in which the user types, and its keys. */
  readonly inserting: { readonly before: Draft; readonly from: Draft; readonly keys: readonly string[] } | undefined;
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
  column: undefined,
  past: [],
  future: [],
  inserting: undefined,
  change: undefined,
};

/** A command is over, or given up. */
export function idle(state: VimState): VimState {
  return { ...state, digits: '', operator: undefined, operatorCount: undefined, wait: undefined, keys: [] };
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
