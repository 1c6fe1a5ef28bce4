import { draftFromText } from '../draft/draft.ts';
import type { TuiSession } from '../session/session.ts';
import type { Cell } from '../transcript/cells/cell.ts';

export function showInTranscript({ parts: { stage } }: Pick<TuiSession, 'parts'>, cell: Cell): void {
  stage.transcript.add({ cell, isFinal: true });
  stage.draw();
}

/** Puts a command's text into the composer. A draft that the user is already writing is kept. */
export function putInComposer(session: TuiSession, command: string, text: string): void {
  const { stage } = session.parts;
  if (stage.composer.offer(draftFromText(text)) === 'waits')
    session.notice(`${command} waits until you have sent or cleared your draft: it puts words into the composer.`);
  stage.draw();
}

/** Reports bad arguments. They return to the composer, unless the user has typed something else. */
export function reportBadArguments(session: TuiSession, command: string, why: string): void {
  const { composer } = session.parts.stage;
  if (composer.isEmpty) composer.offer(draftFromText(command));
  session.notice(why, 'error');
}
