import { itemLine } from '../../state/item-drafts.ts';
import { entering } from '../../state/waiting.ts';
import type { Turn } from '../parts/parts.ts';
import { recordUserMessage } from '../record/record.ts';

/** What arrived meanwhile enters history, in the order in which it came. */
export function drainInbox(turn: Turn): void {
  for (const mail of turn.inbox.take()) {
    if (mail.kind === 'words') recordUserMessage(turn, mail.input, mail.id);
    else turn.log.record(entering(itemLine(mail.item, { family: 'client' }, turn.turnId, mail.maker), mail.id));
  }
}
