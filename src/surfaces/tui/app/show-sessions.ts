import { plural } from '../../wording/number-words.ts';
import { commandLineRows } from '../cells/command-text.ts';
import { lastOutputRows } from '../cells/folded-output.ts';
import { cellOfRows, framedRows, headRows, stateMark } from '../cells/frame.ts';
import { boldStyle, plain, styled } from '../text/style.ts';
import type { TuiSession } from './session.ts';

/** Rows of what each printed last. */
const outputRows = 3;
const none = 'No commands run in the background.';

/** `/ps`: commands that run in the background, and what they printed last. */
export function showSessions(session: TuiSession): void {
  const { stage } = session.parts;
  const { sessions } = session.thread;
  if (sessions.length === 0) return session.notice(none);
  for (const { id, argv, output } of sessions) {
    const printed = output();
    const cell = cellOfRows((look) => {
      const [first = []] = commandLineRows(argv);
      const title = [styled(`Background terminal ${id}`, boldStyle), plain(' '), ...first];
      return [
        ...headRows(look, stateMark('plain', look), title),
        ...framedRows(look, lastOutputRows(printed, outputRows, look)),
      ];
    });
    stage.transcript.add({ cell, isFinal: true });
  }
  stage.draw();
}

/** `/stop [NUMBER]`: ends one of them, or all. */
export async function stopSessions(session: TuiSession, rest: string): Promise<void> {
  const { thread } = session;
  const ids = thread.sessions.map(({ id }) => id);
  const chosen = rest === '' ? ids : ids.filter((id) => String(id) === rest);
  if (chosen.length === 0)
    return session.notice(ids.length === 0 ? none : `There is no background terminal ${rest}. /ps lists them.`);
  await thread.endSessions(chosen);
  session.notice(`Stopped ${plural(chosen.length, 'background terminal')}.`);
}
