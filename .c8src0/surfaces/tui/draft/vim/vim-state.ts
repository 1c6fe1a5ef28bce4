import { movedElements, positionOutsideElements, sliceDraft } from '../draft.ts';
import type { Draft, DraftPart, DraftRange } from '../draft.ts';
import type { VimFind, VimSearch } from './vim-motions.ts';

export type VimOperator = 'd' | 'y' | 'c';

type VimPendingKey =
  | { readonly kind: 'g' }
  | { readonly kind: 'replace' }
  | { readonly kind: 'find'; readonly key: VimFind['key'] }
  | { readonly kind: 'object'; readonly around: 'i' | 'a' }
  | { readonly kind: 'search'; readonly search: VimSearch };

/** The draft before the command that began the mode, the one in which the user types, and the command's keys. */
interface VimInserting {
  readonly before: Draft;
  readonly from: Draft;
  readonly keys: readonly string[];
  /** In replace mode: the characters typed since the last other key, which Backspace takes back. */
  readonly over?: readonly { readonly before: Draft; readonly after: string; readonly sign: string }[];
}

export interface VimState {
  readonly mode: 'normal' | 'insert' | 'replace';
  readonly digits: string;
  readonly operator?: VimOperator;
  readonly operatorCount?: number;
  readonly wait?: VimPendingKey;
  readonly keys: readonly string[];
  readonly slice?: VimSlice;
  readonly find?: VimFind;
  readonly search?: VimSearch;
  /** The search of the last key, if it found nothing. */
  readonly missed?: VimSearch;
  readonly column?: number;
  /** Drafts before each change, oldest first. */
  readonly past: readonly Draft[];
  /** Undone drafts, newest last. */
  readonly future: readonly Draft[];
  readonly inserting?: VimInserting;
  /** A change for `.` to repeat: its keys, and the text typed after them. */
  readonly change?: { readonly keys: readonly string[]; readonly typed: string };
}

const noKeys = {
  digits: '',
  operator: undefined,
  operatorCount: undefined,
  wait: undefined,
  missed: undefined,
  keys: [],
};
export const firstVimState: VimState = { mode: 'normal', past: [], future: [], ...noKeys };
export const clearPendingKeys = (state: VimState): VimState => ({ ...state, ...noKeys });

export const hasPendingKeys = ({ digits, operator, wait }: VimState): boolean =>
  digits !== '' || operator !== undefined || wait !== undefined;

/** The product of the counts before the operator and before the motion. Undefined if no count was typed. */
export function vimCount({ digits, operatorCount }: VimState): number | undefined {
  if (digits === '' && operatorCount === undefined) return undefined;
  return Math.min(mostTimes, (operatorCount ?? 1) * (digits === '' ? 1 : Number(digits)));
}

/** A slip on a digit must not create gigabytes of text. */
const mostTimes = 9999;
const mostPast = 200;

export const pushUndoState = (state: VimState, before: Draft): VimState => ({
  ...state,
  past: [...state.past, before].slice(-mostPast),
  future: [],
});

export function vimSearchText({ wait, missed }: VimState): string | undefined {
  if (wait?.kind === 'search') return wait.search.way + wait.search.typed;
  return missed && `${missed.way}${missed.typed}: no match`;
}

/** Cut or copied text with its elements. `isLines`: it is put on lines of its own. */
export type VimSlice = DraftPart & { readonly isLines: boolean };

/** Extends the range to whole elements, so that none is cut in half. */
export function vimSliceOf(draft: Draft, [from, to]: DraftRange, isLines: boolean): VimSlice {
  const { elements } = draft;
  const start = positionOutsideElements(elements, from, 'start');
  return { ...sliceDraft(draft, [start, positionOutsideElements(elements, to, 'end')]), isLines };
}

export function timesSlice({ text, elements, isLines }: VimSlice, times: number): DraftPart {
  const part = isLines ? `${text}\n` : text;
  const repeated = part.repeat(times);
  return {
    text: isLines ? repeated.slice(0, -1) : repeated,
    elements: Array.from({ length: times }, (_, at) => movedElements(elements, at * part.length)).flat(),
  };
}
