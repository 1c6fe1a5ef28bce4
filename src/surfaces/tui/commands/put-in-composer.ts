import { draftOf } from '../composer/draft.ts';
import type { CommandSession } from './command-session.ts';

/** What a command lets the user write on. A draft that the user is writing when the command comes up stays. */
export function putInComposer(session: Pick<CommandSession, 'parts' | 'notice'>, command: string, text: string): void {
  const { stage } = session.parts;
  if (stage.composer.offer(draftOf(text)) === 'waits')
    session.notice(`${command} waits until you have sent or cleared your draft: it puts words into the composer.`);
  stage.draw();
}
