import { entries } from '../../history/history.ts';
import { isMessage, messageText } from '../../protocol/item.ts';
import type { Turn } from '../parts/parts.ts';

/** Starts the program that the user wants to hear of turns, with the form that other programs have for it. */
export function notifyEnd({ parts, log, threadId, turnId, envelope }: Turn, lastMessage: string | undefined): void {
  if (parts.notify === undefined) return;
  const words = entries(log.state.history).flatMap(({ item, origin, turn }) =>
    origin.family === 'user' && turn === turnId && isMessage(item) ? [messageText(item)] : [],
  );
  const { cwd } = envelope.workspace;
  parts.notify(cwd, {
    type: 'agent-turn-complete',
    'thread-id': threadId,
    'turn-id': turnId,
    cwd,
    client: envelope.identity.client.name,
    'input-messages': words,
    'last-assistant-message': lastMessage ?? null,
  });
}
