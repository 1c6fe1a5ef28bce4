import { draftOf } from '../composer/draft.ts';
import type { CommandSession } from './command-session.ts';

/** A command cannot be run with these words. They come back to be corrected, unless the user writes something else by now. */
export function refuseWords(session: Pick<CommandSession, 'parts' | 'notice'>, command: string, why: string): void {
  const { composer } = session.parts.stage;
  if (composer.isEmpty) composer.offer(draftOf(command));
  session.notice(why, 'error');
}
