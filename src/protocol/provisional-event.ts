import type { TurnId } from './ids.ts';

/**
 * A preview of an item that is still arriving. Nothing of it is durable, and nothing may depend on it: it ends with the
 * `item-completed` of the same item, which is the truth, or with `dropped`.
 */
export type ProvisionalEvent = { readonly provisional: true; readonly turnId: TurnId; readonly itemId: string } & (
  | { readonly kind: 'text'; readonly text: string }
  /** Of the summary of the model's thinking: its parts are counted from 0. */
  | { readonly kind: 'reasoning'; readonly part: number; readonly text: string }
  /** Of a call. */
  | { readonly kind: 'output'; readonly text: string }
  /** The item will not come: the request is sent again, the turn was interrupted, or the disk is lost. */
  | { readonly kind: 'dropped' }
);
