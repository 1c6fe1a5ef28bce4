import { join, resolve } from 'node:path';
import { kindOfEntry } from '../../../disk/file-system.ts';
import { fullText, type Outcome } from '../../../protocol/outcome.ts';
import { exportFileName, exportFormatOf, exportText } from '../../export/export-text.ts';
import { replaceExport, writeNewExport } from '../../export/write-export.ts';
import { shownPath } from '../text/shown-path.ts';
import { ListView } from '../views/list-view.ts';
import type { TuiSession } from './session.ts';

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
    else session.notice(fullText({ ...problem, next: '' }), 'error');
  };
  const problem = writeNewExport(path, text);
  if (problem?.code !== 'export-exists') return tell(problem);
  const close = (): void => stage.open(undefined);
  const writable = [settings.cwd, ...engine.config.writableFolders];
  stage.open(
    new ListView({
      title: `${shown} exists already. Replace it?`,
      items: [{ label: 'no' }, { label: 'yes, replace it' }],
      close,
      pick(index) {
        close();
        if (index === 1) session.inBackground(replaceExport(path, text, writable).then(tell));
      },
    }),
  );
}
