import { kindOfEntry } from '../../../../engine/file-access.ts';
import type { ThreadId } from '../../../../protocol/ids.ts';
import type { Outcome } from '../../../../protocol/outcome.ts';
import {
  exportFileName,
  exportFormatOf,
  exportText,
  replaceExport,
  writeNewExport,
} from '../../../views/export/export-file.ts';
import { askYesNo } from '../../pages/list-view.ts';
import { cleanLine } from '../../screen/text/clean-text.ts';
import { shownPath } from '../../screen/text/format-values.ts';
import type { TuiSession } from '../../session/session.ts';
import { startNewConversation } from './new-and-resume.ts';
import { join, resolve } from 'node:path';

export async function renameThread(session: TuiSession, name: string): Promise<void> {
  if (name === '') return session.notice('Type the name behind it, for example /rename Parser bug.');
  if (isEmpty(session)) return;
  const named = await session.parts.engine.stored.rename(session.thread.id, name);
  if (named.kind === 'refused') return session.noticeProblem(named.outcome);
  const shown = cleanLine(named.name);
  session.notice(`This conversation is now called ${shown}. To continue it: /resume ${shown}`);
}

/** `/archive`: hides the conversation from the lists and begins another one. */
export async function archiveShownThread(session: TuiSession): Promise<void> {
  if (isEmpty(session)) return;
  const { threads } = session.parts;
  const { id } = session.thread;
  const done = await threads.whole(id, (stored) => stored.archive(id));
  await left(session, done, `The conversation is archived. To bring it back: /resume ${id}`);
}

export async function deleteShownThread(session: TuiSession): Promise<void> {
  if (isEmpty(session)) return;
  const { stage, engine } = session.parts;
  const { id } = session.thread;
  const title = 'Delete this conversation? It cannot be brought back. Files stay as they are.';
  askYesNo(stage, title, [{ label: 'no' }, { label: 'yes, delete it' }], () => {
    // Leave the thread first, without reading it again: a deleted thread cannot be followed.
    const deleting = session.thread.leave().then(() => engine.stored.delete(id));
    session.inBackground(deleting.then((done) => left(session, done, 'The conversation is deleted.')));
  });
}

async function left(
  session: TuiSession,
  done: { readonly kind: string; readonly outcome?: Outcome },
  words: string,
): Promise<void> {
  if (done.kind === 'refused' && done.outcome !== undefined) return session.noticeProblem(done.outcome);
  await startNewConversation(session);
  session.notice(words);
}

function isEmpty(session: TuiSession): boolean {
  if (session.thread.place !== undefined) return false;
  session.notice('This conversation has no message yet, so it is not stored.');
  return true;
}

/** `/fork [NAME]`: continues in a new conversation; the current one stays unchanged. */
export async function forkShownThread(session: TuiSession, id: ThreadId, name: string): Promise<void> {
  const { threads, engine } = session.parts;
  const forked = await threads.fork(id, { kind: 'latest' });
  if (forked.kind === 'refused') return session.noticeProblem(forked.outcome);
  const isOpen = id === session.thread.id;
  await session.switchTo(forked, isOpen ? { shows: 'end' } : {});
  session.notice(`This is a fork. The other conversation is kept: /resume ${id}`);
  if (name === '') return;
  const named = await engine.stored.rename(forked.id, name);
  if (named.kind === 'refused') session.noticeProblem(named.outcome);
}

/** `/export [FILE]`: the conversation as Markdown, or as HTML or a rollout by the name of the file. */
export async function exportConversation(session: TuiSession, file: string): Promise<void> {
  const { engine, stage } = session.parts;
  const { id, settings, place } = session.thread;
  if (place === undefined) return session.notice('There is nothing to export yet.');
  const { lines } = await engine.stored.read(id);
  const summary = await engine.stored.summary(id);
  const name = 'code' in summary ? undefined : summary.name;
  const wanted = resolve(settings.cwd, file);
  const isFolder = file === '' || kindOfEntry(wanted) === 'folder';
  const path = isFolder ? join(wanted, exportFileName({ id, lines }, 'markdown')) : wanted;
  const isPlain = !isFolder && exportFormatOf(path) === 'jsonl' && !path.endsWith('.jsonl');
  const text = exportText({ id, lines }, isFolder || isPlain ? 'markdown' : exportFormatOf(path), name);
  const shown = shownPath(path, stage.look);
  const tell = (problem: Outcome | undefined): void => {
    if (problem === undefined) session.notice(`The conversation was written to ${shown}.`);
    else session.noticeProblem({ ...problem, next: '' });
  };
  const problem = writeNewExport(path, text);
  if (problem?.code !== 'export-exists') return tell(problem);
  const writable = [settings.cwd, ...engine.config.writableFolders];
  askYesNo(stage, `${shown} exists already. Replace it?`, [{ label: 'no' }, { label: 'yes, replace it' }], () =>
    session.inBackground(replaceExport(path, text, writable).then(tell)),
  );
}
