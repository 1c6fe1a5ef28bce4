import type { ThreadId, TurnId } from './ids.ts';
import type { Outcome } from './outcome.ts';
import type { TurnItem } from './turn-item.ts';
import type { Usage } from './usage.ts';

/** What surfaces are told. Nothing is told before the lines it rests on are durable. */
export type ThreadEvent =
  | { readonly kind: 'thread-started'; readonly threadId: ThreadId }
  | { readonly kind: 'turn-started'; readonly turnId: TurnId }
  | { readonly kind: 'item-started'; readonly item: TurnItem }
  | { readonly kind: 'item-updated'; readonly item: TurnItem }
  | { readonly kind: 'item-completed'; readonly item: TurnItem }
  | { readonly kind: 'warning'; readonly outcome: Outcome }
  /** `usage` counts the whole thread so far. */
  | { readonly kind: 'turn-completed'; readonly turnId: TurnId; readonly usage: Usage; readonly lastMessage?: string }
  | { readonly kind: 'turn-failed'; readonly turnId: TurnId; readonly outcome: Outcome }
  | { readonly kind: 'turn-aborted'; readonly turnId: TurnId };
