import type { TurnId } from './ids.ts';

/** Where a fork leaves the thread that it comes from: at its end, behind a turn, or before one. */
export type ThreadCut = { readonly kind: 'latest' } | { readonly kind: 'through' | 'before'; readonly turnId: TurnId };
