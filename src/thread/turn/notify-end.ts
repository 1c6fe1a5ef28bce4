import { entries } from '../../history/history.ts';
import { isMessage, messageText } from '../../protocol/item.ts';
import type { Turn } from '../parts/parts.ts';
import { warnOnce } from '../parts/warn-once.ts';

/** Starts the program that the user wants to hear of turns, with the form that other programs have for it. */
export function notifyEnd(turn: Turn, lastMessage: string | undefined): void {
  const { parts, log, threadId, turnId, envelope } = turn;
  const words = entries(log.state.history).flatMap(({ item, origin, turn }) =>
    origin.family === 'user' && turn === turnId && isMessage(item) ? [messageText(item)] : [],
  );
  const { cwd } = envelope.workspace;
  const problem = parts.notify?.(cwd, {
    type: 'agent-turn-complete',
    'thread-id': threadId,
    'turn-id': turnId,
    cwd,
    client: envelope.identity.client.name,
    'input-messages': words,
    'last-assistant-message': lastMessage ?? null,
  });
  if (problem !== undefined) warnOnce(turn, problem, 'code');
}
