import type { Outcome } from '../../protocol/outcome.ts';

/** How a turn comes to its end. */
export type TurnEnding = { readonly kind: 'done' | 'aborted' } | { readonly kind: 'failed'; readonly failure: Outcome };
