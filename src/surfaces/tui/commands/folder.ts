import { resolve } from 'node:path';
import type { CommandSession } from './command-session.ts';
import { refuseWords } from './refuse-words.ts';

/** `/pwd`: where the next turn works. */
export function showFolder(session: CommandSession): void {
  session.notice(session.thread.settings.cwd);
}

/** `/cd`: another folder for the next turns; the home folder where none is named. */
export async function changeFolder(session: CommandSession, path: string): Promise<void> {
  const { stage, engine } = session.parts;
  const { home } = stage.look;
  const written = path === '' ? home : path.replace(/^~(?=$|\/)/, home);
  const cwd = resolve(session.thread.settings.cwd, written);
  const folder = engine.lookAtFolder(cwd);
  if ('code' in folder)
    return refuseWords(session, `/cd ${path}`, `${folder.message} Name a folder that is there, or create this one.`);
  if (!(await session.change({ cwd }))) return;
  stage.changeLook({ cwd });
  session.notice(`The next turn works in ${cwd}. What the permissions say of the workspace holds for that folder.`);
}
