import { kindOfEntry } from '../../../engine/file-access.ts';
import { askYesNo } from '../pages/list-view.ts';
import type { TuiSession } from '../session/session.ts';
import { reportBadArguments } from './command-session.ts';
import { join, resolve } from 'node:path';

const fileName = 'AGENTS.md';

export function runInitCommand(session: TuiSession): void {
  const isThere = kindOfEntry(join(session.thread.settings.cwd, fileName)) !== 'missing';
  if (!isThere) return session.sendWords(instructionsPrompt);
  const no = { label: 'No', about: 'leave it as it is' };
  const yes = { label: 'Yes', about: 'the model reads it, corrects what is wrong and adds what is missing' };
  askYesNo(session.parts.stage, `There is an ${fileName} in this folder. Change it?`, [no, yes], () =>
    session.sendWords(`${instructionsPrompt}\n\n${keepPrompt}`),
  );
}

const instructionsPrompt = `Write ${fileName} in the current folder: what a developer, or a coding agent, has to know before the first change to this project.

Look at the project first: its files, its build and test configuration, its documentation and the newest commits. Write down only what you have seen, and check commands before you name them. Do not repeat what a reader finds at once in the code.

Use Markdown with a title and short sections, 200 to 400 words in all:

- what the project is, and how its folders divide it
- the commands to build, run, test, format and lint it, also for a single test
- conventions of the code that tools do not check: names, errors, comments, where new files belong
- how tests are written, and which have to pass before a commit
- how commit messages and pull requests look here
- what is dangerous or surprising: generated files, secrets, steps that need care

Leave a section out if the project has nothing to say about it.`;

const keepPrompt = `There is an ${fileName} already. Keep what still holds, in its order and its words; correct what is wrong, add what is missing, and say at the end what you changed.`;

/** `/pwd`: shows the folder of the next turn. */
export function showFolder(session: TuiSession): void {
  session.notice(session.thread.settings.cwd);
}

/** `/cd`: changes the folder for the next turns; the home folder if none is named. */
export async function changeFolder(session: TuiSession, path: string): Promise<void> {
  const { stage, engine } = session.parts;
  const { home } = stage.look;
  const written = path === '' ? home : path.replace(/^~(?=$|\/)/, home);
  const cwd = resolve(session.thread.settings.cwd, written);
  const folder = engine.lookAtFolder(cwd);
  const next = 'Name a folder that is there, or create this one.';
  if ('code' in folder) return reportBadArguments(session, `/cd ${path}`, `${folder.message} ${next}`);
  if (!(await session.change({ cwd }))) return;
  stage.changeLook({ cwd });
  session.notice(`The next turn works in ${cwd}. What the permissions say of the workspace holds for that folder.`);
}
