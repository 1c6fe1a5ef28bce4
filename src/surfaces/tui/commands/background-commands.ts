import { plural } from '../../../engine/wording.ts';
import { boldStyle, plain, styled } from '../screen/text/style.ts';
import type { TuiSession } from '../session/session.ts';
import { type Cell, cellFromRows, headRows, indentWrappedRows, stateMark } from '../transcript/cells/cell.ts';
import { commandLineRows } from '../transcript/cells/command-cell.ts';
import { lastOutputRows } from '../transcript/cells/folded-output.ts';

const none = 'No commands run in the background.';

export function showBackgroundCommands(session: TuiSession): void {
  const { stage } = session.parts;
  const { sessions } = session.thread;
  const running = [
    ...sessions.map(({ id, argv, output }) => ({ name: `Background terminal ${id}`, argv, output })),
    ...session.shells.running.map((own) => ({ ...own, name: 'Your command', argv: ['sh', '-c', own.command] })),
  ];
  if (running.length === 0) return session.notice(none);
  const cells = running.map(({ name, argv, output }) => listedCommandCell({ name, argv, printed: output() }));
  for (const cell of cells) stage.transcript.add({ cell, isFinal: true });
  stage.draw();
}

/** `/stop [NUMBER]`: ends one background command, or all, the user's own as well. */
export async function stopBackgroundCommands(session: TuiSession, rest: string): Promise<void> {
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

const outputRows = 3;
type ListedCommand = { readonly name: string; readonly argv: readonly string[]; readonly printed: string };

export function listedCommandCell({ name, argv, printed }: ListedCommand): Cell {
  const [first = []] = commandLineRows(argv);
  return cellFromRows((look) => [
    ...headRows(look, stateMark('plain', look), [styled(name, boldStyle), plain(' '), ...first]),
    ...indentWrappedRows(look, lastOutputRows(printed, outputRows, look)),
  ]);
}
