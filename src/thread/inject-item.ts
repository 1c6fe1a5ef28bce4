import { anything, type OptionTable, readOptions } from '../envelope/read-options.ts';
import type { KeptReview } from '../protocol/code-review.ts';
import { defined } from '../protocol/defined.ts';
import type { Item } from '../protocol/item.ts';
import type { Outcome } from '../protocol/outcome.ts';
import { notPlain, plainCopy } from '../protocol/plain-copy.ts';
import { addUsage, type Usage } from '../protocol/usage.ts';
import { type WaitingContent, waitingProblem } from '../state/waiting.ts';
import { withWithheld } from '../state/withheld.ts';
import type { Inbox } from './parts/inbox.ts';
import type { ThreadLog } from './parts/log.ts';
import { itemProblem, notData } from './read-turn.ts';
import { closed } from './thread-settings.ts';

/** Whether an item waits to enter history, and will after a crash, or why it does not. */
export type Injected = { readonly kind: 'injected' } | { readonly kind: 'refused'; readonly outcome: Outcome };

export interface InjectOptions {
  /** What it cost to make the item: a part of what the thread costs. */
  readonly cost?: Usage;
  /** The review of code that the item tells of. */
  readonly review?: KeptReview;
}

const injectOptions = {
  cost: { type: anything('the usage of a model'), about: 'What it cost to make the item.' },
  review: { type: anything('a review of code'), about: 'The review that the item reports.' },
} as const satisfies OptionTable<InjectOptions>;

interface OpenInbox {
  readonly log: ThreadLog;
  readonly inbox: Inbox;
  readonly closing: AbortSignal;
}

/** A program's own item waits in the thread's inbox. Resolves when it is durable. */
export async function injectItem(
  { log, inbox, closing }: OpenInbox,
  given: Item,
  options: InjectOptions = {},
): Promise<Injected> {
  const read = readOptions<InjectOptions>(options, injectOptions, 'inject()');
  if ('code' in read) return { kind: 'refused', outcome: read };
  const { cost, review } = read;
  const item = plainCopy(given);
  const odd = item === notPlain ? notData('The item') : itemProblem(item);
  if (odd !== undefined) return { kind: 'refused', outcome: odd };
  const total = cost && addUsage(log.state.usage.total, cost);
  return acceptMessage({ log, inbox, closing }, { kind: 'item', item: item as Item, ...defined({ total, review }) });
}

/** A message waits in the thread's inbox. Resolves when it is durable. */
export async function acceptMessage({ log, inbox, closing }: OpenInbox, message: WaitingContent): Promise<Injected> {
  const problem = fullInbox(log) ?? (closing.aborted ? closed : undefined);
  if (problem !== undefined) return { kind: 'refused', outcome: problem };
  inbox.accept(message);
  await log.durable();
  return { kind: 'injected' };
}

/** Why the thread takes in no more before its next request, if so. */
export function fullInbox(log: ThreadLog): ReturnType<typeof waitingProblem> {
  return waitingProblem(withWithheld(log.state).waiting);
}
