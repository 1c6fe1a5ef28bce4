import { fullText } from '../../../protocol/outcome.ts';
import type { ThreadSummary } from '../../../protocol/thread-summary.ts';
import { shownPath } from '../text/shown-path.ts';
import { ListView } from '../views/list-view.ts';
import type { TuiSession } from './session.ts';

/** Where a thread of another folder continues: in its own, or in the one that is open. */
export type ResumeFolder = 'session' | 'current';

/** Continues a thread. If it worked in another folder, the user says where it continues, unless that is settled. */
export async function resumeListed(session: TuiSession, thread: ThreadSummary, folder?: ResumeFolder): Promise<void> {
  const { engine, stage } = session.parts;
  const here = session.thread.settings.cwd;
  const there = thread.cwd;
  if (thread.id === session.thread.id) return session.notice('That conversation is open already.');
  if (there === undefined || there === here || folder === 'session') return load(session, thread, undefined);
  if (folder === 'current') return load(session, thread, here);
  const problem = engine.lookAtFolder(there);
  const isGone = 'code' in problem;
  const shown = (path: string): string => shownPath(path, { ...stage.look, cwd: '' });
  const choices = [
    ...(isGone ? [] : [{ label: shown(there), about: 'where it worked last', cwd: undefined }]),
    { label: shown(here), about: 'the folder that is open now', cwd: here },
  ];
  const close = (): void => stage.open(undefined);
  stage.open(
    new ListView({
      title: isGone
        ? `Its folder ${shown(there)} cannot be used any more. Continue here?`
        : 'Continue in which folder?',
      items: choices,
      close,
      pick(index) {
        close();
        const chosen = choices[index];
        if (chosen !== undefined) session.inBackground(load(session, thread, chosen.cwd));
      },
    }),
  );
}

/** `cwd` absent: in the folder of the thread. */
async function load(session: TuiSession, { id, archived }: ThreadSummary, cwd: string | undefined): Promise<void> {
  const { threads, engine } = session.parts;
  if (archived) {
    const back = await threads.whole(id, () => engine.stored.unarchive(id));
    if (back.kind === 'refused') return session.notice(fullText(back.outcome), 'error');
  }
  const opened = await threads.load(id, cwd === undefined ? {} : { cwd });
  if (opened.kind === 'refused') return session.notice(fullText(opened.outcome), 'error');
  await session.switchTo(opened);
  if (archived) session.notice('It was archived, and is active again.');
  // One that was open before in this process keeps its folder until it is moved.
  if (cwd !== undefined && opened.settings.cwd !== cwd) await session.change({ cwd });
}
