import { KeyDebugView } from '../views/key-debug-view.ts';
import type { CommandSession } from './command-session.ts';
import { KeymapEditor } from './keymap-editor.ts';

/** `/keymap`: all that keys do, to be bound to others. `debug`: what the terminal sends. */
export function keymap(session: CommandSession, rest: string): void {
  const { stage, now } = session.parts;
  const close = (): void => stage.open(undefined);
  if (rest === '') return new KeymapEditor(session).open();
  if (rest === 'debug') return stage.open(new KeyDebugView({ now, draw: () => stage.draw(), close }));
  session.notice('/keymap lists the keys and binds them, /keymap debug shows what the terminal sends.');
}
