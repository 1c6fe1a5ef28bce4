import { fullText } from '../../../protocol/outcome.ts';
import type { ThreadSummary } from '../../../protocol/thread-summary.ts';
import { listOfFolder } from '../picker/list-of-folder.ts';
import { PickerView } from '../picker/picker-view.ts';
import { ThreadPages } from '../picker/thread-pages.ts';
import { forkShown } from './fork-thread.ts';
import { previewListed } from './preview-thread.ts';
import { resumeListed } from './resume-thread.ts';
import type { TuiSession } from './session.ts';

/** Threads that are read at a time. */
const pageSize = 50;

/** What a list of threads is for, and how it begins. */
export interface ThreadChoosing {
  readonly does: 'resume' | 'fork';
  /** Threads of every folder at first. */
  readonly anyFolder?: boolean;
}

/** `/new`: another conversation in the same folder, with the same settings of the configuration. */
export async function startAnew(session: TuiSession): Promise<void> {
  const { threads } = session.parts;
  const opened = await threads.start({ cwd: session.thread.settings.cwd });
  if (opened.kind === 'refused') return session.notice(fullText(opened.outcome), 'error');
  await session.switchTo(opened);
}

/** `/resume`: an earlier conversation, by its name or from a list. */
export async function chooseThreadView(
  session: TuiSession,
  name: string,
  choosing: ThreadChoosing = { does: 'resume' },
): Promise<void> {
  const { stage, engine } = session.parts;
  if (name !== '') {
    const chosen = await engine.stored.choose({ kind: 'named', name });
    if (chosen.kind === 'none') return session.notice(fullText(chosen), 'error');
    const thread = await engine.stored.summary(chosen.id);
    return 'code' in thread ? session.notice(fullText(thread), 'error') : open(session, thread, choosing);
  }
  const pages = new ThreadPages({
    pageSize,
    list: (query, progress) => listOfFolder((each) => engine.stored.list(each, progress), query),
    changed: () => stage.draw(),
  });
  const view: PickerView = new PickerView({
    title: choosing.does === 'fork' ? 'Fork a conversation' : 'Resume a conversation',
    cwd: session.thread.settings.cwd,
    anyFolder: choosing.anyFolder ?? false,
    pages,
    openId: session.thread.id,
    isDense: engine.config.tui.sessionPickerView === 'dense',
    densityChosen: (isDense) => session.run(saveDensity(session, isDense)),
    close: () => stage.openPager(undefined),
    pick(thread) {
      stage.openPager(undefined);
      session.inBackground(open(session, thread, choosing));
    },
    preview: (thread) => session.inBackground(previewListed(session, thread, () => stage.openPager(view))),
    archive: (thread) => session.inBackground(switchArchive(session, thread).finally(() => view.refresh())),
  });
  stage.openPager(view);
}

async function open(session: TuiSession, { id }: ThreadSummary, { does }: ThreadChoosing): Promise<void> {
  return does === 'fork' ? forkShown(session, id, '') : resumeListed(session, id);
}

async function switchArchive(session: TuiSession, { id, archived }: ThreadSummary): Promise<void> {
  const { engine, threads } = session.parts;
  if (id === session.thread.id)
    return session.notice('The conversation that is open cannot be archived from the list. Use /archive.');
  const done = await threads.whole(id, () => (archived ? engine.stored.unarchive(id) : engine.stored.archive(id)));
  if (done.kind === 'refused') session.notice(fullText(done.outcome), 'error');
}

async function saveDensity(session: TuiSession, isDense: boolean): Promise<void> {
  const problem = await session.parts.engine.config.saveTui({ session_picker_view: isDense ? 'dense' : 'comfortable' });
  if (problem !== undefined) session.notice(fullText(problem), 'error');
}
