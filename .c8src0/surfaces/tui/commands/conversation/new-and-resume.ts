import type { ThreadId } from '../../../../protocol/ids.ts';
import { outcomeText } from '../../../../protocol/outcome.ts';
import type { ThreadSummary } from '../../../../protocol/thread.ts';
import type { TuiRequest } from '../../boot/open-tui.ts';
import { resumePickedThread } from '../../boot/resume-thread.ts';
import { reportWorkErrors } from '../../flow/running-work.ts';
import { PagerView } from '../../pages/pager-view.ts';
import { listOfFolder, ThreadPages } from '../../pages/thread-pages.ts';
import { type ThreadPickerOptions, ThreadPickerView, threadTitle } from '../../pages/thread-picker.ts';
import { transcriptPage } from '../../pages/transcript-pager.ts';
import type { SessionParts, TuiSession } from '../../session/session.ts';
import { EventEntries } from '../../transcript/event-entries.ts';
import { Transcript } from '../../transcript/transcript.ts';

const pageSize = 50;

export async function startNewConversation(session: TuiSession): Promise<void> {
  const opened = await session.parts.threads.start({ cwd: session.thread.settings.cwd });
  if (opened.kind === 'refused') return session.noticeProblem(opened.outcome);
  await session.switchTo(opened);
}

export async function showThreadPicker(session: TuiSession, name: string): Promise<void> {
  const { stage, engine } = session.parts;
  if (name !== '') {
    const chosen = await engine.stored.choose({ kind: 'named', name });
    if (chosen.kind === 'none') return session.noticeProblem(chosen);
    const thread = await engine.stored.summary(chosen.id);
    return 'code' in thread ? session.noticeProblem(thread) : resumePickedThread(session, thread.id);
  }
  const close = (): void => stage.openPager(undefined);
  const pick = ({ id }: ThreadSummary): void => {
    close();
    session.inBackground(resumePickedThread(session, id));
  };
  const notice = (text: string) => session.notice(text, 'error');
  const run = (work: Promise<unknown>) => session.inBackground(work);
  const { id: openId, settings } = session.thread;
  const parts = { ...session.parts, cwd: settings.cwd, openId, notice, run };
  openPicker(parts, { title: resumeTitle, anyFolder: false, close, pick });
}

export function pickConversationAtStart(
  parts: Omit<PickingParts, 'openId' | 'run'>,
  { does = 'resume', anyFolder = false }: Pick<TuiRequest, 'does' | 'anyFolder'>,
): Promise<ThreadId | 'left'> {
  const { stage, notice } = parts;
  const run = (work: Promise<unknown>): void => void reportWorkErrors(work, notice);
  const { promise, resolve } = Promise.withResolvers<ThreadId | 'left'>();
  const title = does === 'fork' ? 'Fork a conversation' : resumeTitle;
  const close = (): void => resolve('left');
  openPicker({ ...parts, run }, { title, anyFolder, close, pick: ({ id }) => resolve(id) });
  return promise.finally(() => stage.openPager(undefined));
}

const resumeTitle = 'Resume a conversation';

interface PickingParts extends Pick<SessionParts, 'stage' | 'engine' | 'threads' | 'now'> {
  readonly cwd: string;
  readonly openId?: ThreadId;
  notice(text: string): void;
  run(work: Promise<unknown>): void;
}

function openPicker(
  parts: PickingParts,
  list: Pick<ThreadPickerOptions, 'title' | 'anyFolder' | 'pick' | 'close'>,
): void {
  const { stage, engine, cwd, openId, notice, run } = parts;
  const pages = new ThreadPages({
    pageSize,
    list: (query, progress) => listOfFolder((each) => engine.stored.list(each, progress), query),
    changed: () => stage.draw(),
  });
  const saveDensity = async (isDense: boolean): Promise<void> => {
    const problem = await engine.config.saveTui({ session_picker_view: isDense ? 'dense' : 'comfortable' });
    if (problem !== undefined) notice(outcomeText(problem));
  };
  const view: ThreadPickerView = new ThreadPickerView({
    ...list,
    cwd,
    pages,
    openId,
    isDense: engine.config.tui.sessionPickerView === 'dense',
    densityChosen: (isDense) => run(saveDensity(isDense)),
    preview: (thread) => run(previewListed(parts, thread, () => stage.openPager(view))),
    archive: (thread) => run(switchArchive(parts, thread).finally(() => view.refresh())),
  });
  stage.openPager(view);
}

async function switchArchive(parts: PickingParts, { id, archived }: ThreadSummary): Promise<void> {
  const { engine, threads, openId, notice } = parts;
  if (id === openId) return notice('The conversation that is open cannot be archived from the list. Use /archive.');
  const done = await threads.whole(id, () => (archived ? engine.stored.unarchive(id) : engine.stored.archive(id)));
  if (done.kind === 'refused') notice(outcomeText(done.outcome));
}

const slice = 200;

/** Previews a thread by reading its file, without opening it. The view fills while it is read. */
async function previewListed(
  { stage, engine, now }: Pick<SessionParts, 'stage' | 'engine' | 'now'>,
  thread: ThreadSummary,
  back: () => void,
): Promise<void> {
  const transcript = new Transcript();
  const entries = new EventEntries(transcript, () => false);
  const page = transcriptPage(transcript, { now, redraw: () => stage.draw() });
  let isOpen = true;
  const close = (): void => {
    isOpen = false;
    back();
  };
  stage.openPager(new PagerView({ title: threadTitle(thread), ...page, close }));
  let count = 0;
  for await (const { event, at } of engine.stored.events(thread.id)) {
    if (!isOpen) return;
    entries.event(event, at);
    count += 1;
    if (count % slice > 0) continue;
    stage.draw();
    await new Promise((later) => setImmediate(later));
  }
  stage.draw();
}
