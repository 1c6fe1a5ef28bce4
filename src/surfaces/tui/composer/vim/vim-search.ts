import type { Draft } from '../draft.ts';
import type { VimMove } from './vim-motion.ts';
import { maskedText } from './vim-text.ts';

/** What is searched for in the draft, and which way. */
export interface VimSearch {
  readonly way: '/' | '?';
  readonly typed: string;
}

/** What a key makes of a search that is being typed. `given-up`: it ends without a move. */
export type TypedSearch = VimSearch | 'done' | 'given-up';

export function typedSearch(search: VimSearch, key: string): TypedSearch {
  const { typed } = search;
  switch (key) {
    case 'enter':
      return 'done';
    case 'ctrl+c':
      return 'given-up';
    case 'backspace':
    case 'ctrl+h':
      return typed === '' ? 'given-up' : { ...search, typed: [...typed].slice(0, -1).join('') };
    case 'ctrl+u':
      return { ...search, typed: '' };
    default: {
      const sign = key === 'space' ? ' ' : key;
      return [...sign].length === 1 ? { ...search, typed: typed + sign } : search;
    }
  }
}

/** Case counts where a capital is typed. Behind the last place comes the first. Undefined: it is nowhere. */
export function vimSearch(draft: Draft, { way, typed }: VimSearch, count: number): VimMove | undefined {
  if (typed === '') return undefined;
  const masked = maskedText(draft);
  // Signs that have another length in lower case would move all places behind them.
  const lower = masked.toLowerCase();
  const folds = typed === typed.toLowerCase() && lower.length === masked.length;
  const text = folds ? lower : masked;
  const places: number[] = [];
  for (let at = text.indexOf(typed); at >= 0; at = text.indexOf(typed, at + 1)) places.push(at);
  if (places.length === 0) return undefined;
  const { cursor } = draft;
  const behind = places.findIndex((place) => place > cursor);
  const before = places.findLastIndex((place) => place < cursor);
  const first = way === '/' ? (behind < 0 ? 0 : behind) : before < 0 ? places.length - 1 : before;
  const step = (count - 1) % places.length;
  const at = way === '/' ? first + step : first - step + places.length;
  return { to: places[at % places.length]!, takes: 'exclusive' };
}
