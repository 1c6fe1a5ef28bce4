import { plural } from '../../wording/number-words.ts';
import { listedCommandCell } from '../cells/listed-command-cell.ts';
import type { TuiSession } from './session.ts';

const none = 'No commands run in the background.';

/** `/ps`: commands that run in the background and those of the user, and what they printed last. */
export function showSessions(session: TuiSession): void {
  const { stage } = session.parts;
  const { sessions } = session.thread;
  const own = session.shells.running.map(({ command, output }) => {
    return { name: 'Your command', argv: ['sh', '-c', command], printed: output() };
  });
  const ofModel = sessions.map(({ id, argv, output }) => {
    return { name: `Background terminal ${id}`, argv, printed: output() };
  });
  const running = [...ofModel, ...own];
  if (running.length === 0) return session.notice(none);
  for (const each of running) stage.transcript.add({ cell: listedCommandCell(each), isFinal: true });
  stage.draw();
}

/** `/stop [NUMBER]`: ends one of those in the background, or all, the user's own as well. */
export async function stopSessions(session: TuiSession, rest: string): Promise<void> {
  const { thread } = session;
  const ids = thread.sessions.map(({ id }) => id);
  const chosen = rest === '' ? ids : ids.filter((id) => String(id) === rest);
  const own = rest === '' ? session.shells.stopAll() : 0;
  if (chosen.length + own === 0)
    return session.notice(ids.length === 0 ? none : `There is no background terminal ${rest}. /ps lists them.`);
  if (chosen.length > 0) await thread.endSessions(chosen);
  const stopped = [
    ...(chosen.length === 0 ? [] : [plural(chosen.length, 'background terminal')]),
    ...(own === 0 ? [] : [`${plural(own, 'command')} of yours`]),
  ];
  session.notice(`Stopped ${stopped.join(' and ')}.`);
}
