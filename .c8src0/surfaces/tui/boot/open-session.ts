import { kindOfEntry } from '../../../engine/file-access.ts';
import type { ThreadId } from '../../../protocol/ids.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { Engine } from '../../../engine/engine.ts';
import { liveThreads } from '../../../engine/live/live-threads.ts';
import type { LiveThread, LiveThreads } from '../../../engine/live/live-thread-types.ts';
import type { StartupQuestionDesk } from '../questions/startup/startup-question-desk.ts';
import { type StartupQuestionParts, askStartupQuestions } from '../questions/startup/startup-questions.ts';
import { applySettings } from './apply-settings.ts';
import { TuiSession, type SessionParts } from '../session/session.ts';
import { runSlash } from '../commands/run-slash-command.ts';
import type { TuiRequest } from './open-tui.ts';

/** Loads the engine and opens the wanted thread. `left`: the user left before that. */
export async function openSession(
  request: TuiRequest,
  parts: Pick<SessionParts, 'stage' | 'surroundings' | 'now' | 'quit'>,
  gates: Omit<StartupQuestionParts, 'notice'>,
): Promise<TuiSession | Outcome | 'left'> {
  const decided: string[] = [];
  const notice = (text: string): void => void decided.push(text);
  const engine = await askStartupQuestions(request, { ...gates, notice });
  if (engine === 'left' || 'code' in engine) return engine;
  const threads = liveThreads(engine);
  const notices = await applySettings({ ...parts, engine }, request);
  const opened = await openThread(engine, threads, { request, parts, desk: gates.desk, notice });
  if (opened === 'left' || 'code' in opened) {
    await engine.close();
    return opened;
  }
  const { thread, shown } = opened;
  const regain: SessionParts['regain'] = async (of) => (await import('./resume-thread.ts')).resolveThreadConflict(of);
  const session = new TuiSession({ ...parts, engine, threads, runSlash, regain, shown }, thread);
  await session.begin({ shows: shown === undefined ? 'all' : 'none' });
  for (const notice of notices) session.entries.outcome(notice, 'warning');
  for (const text of decided) session.notice(text);
  if (kindOfEntry(`${engine.home}/prompts`) === 'folder') session.inBackground(offerPrompts(session));
  return session;
}

async function offerPrompts(session: TuiSession): Promise<void> {
  const { listCustomPrompts } = await import('../commands/prompts-and-skills.ts');
  const { stage } = session.parts;
  stage.popup.more = await listCustomPrompts(session);
  stage.draw();
}

/** Closes everything. Running work is interrupted; pending questions are asked again next time. */
export async function closeSession(session: TuiSession | undefined): Promise<void> {
  await session?.doors.kept;
  await session?.parts.engine.close();
}

interface Opening {
  readonly request: TuiRequest;
  readonly parts: Pick<SessionParts, 'stage' | 'now'>;
  readonly desk: StartupQuestionDesk;
  notice(text: string): void;
}

/** `shown`: the user watched the thread, so the stage already shows it up to this place. */
type Opened = { readonly thread: LiveThread; readonly shown?: number };

async function openThread(engine: Engine, threads: LiveThreads, opening: Opening): Promise<Opened | Outcome | 'left'> {
  const { request, parts, desk } = opening;
  const { cwd, thread, anyFolder = false } = request;
  if (thread.kind === 'new') {
    const started = await threads.start({ cwd });
    return started.kind === 'refused' ? started.outcome : { thread: started };
  }
  if (thread.kind !== 'pick') {
    const chosen = await engine.stored.choose({ ...thread, ...(!anyFolder && { cwd }) });
    return chosen.kind === 'none' ? chosen : openStored(chosen.id, engine, threads, { ...opening, leaving: 'Leave' });
  }
  const { pickConversationAtStart } = await import('../commands/conversation/new-and-resume.ts');
  const { earlyNotice } = await import('./open-tui.ts');
  // The notice remains even if no conversation is opened.
  const told = (text: string): void => {
    parts.stage.transcript.add({ cell: earlyNotice(text, 'error'), isFinal: true });
  };
  for (;;) {
    const id = await desk.until(pickConversationAtStart({ ...parts, engine, threads, cwd, notice: told }, request));
    if (id === 'left') return 'left';
    const opened = await openStored(id, engine, threads, { ...opening, leaving: 'Back to the list' });
    if (opened !== 'left' || (await desk.wait(0)) === 'left') return opened;
  }
}

async function openStored(
  id: ThreadId,
  engine: Engine,
  threads: LiveThreads,
  { request: { cwd, does }, parts, desk, leaving, notice }: Opening & { readonly leaving: string },
): Promise<Opened | Outcome | 'left'> {
  if (does === 'fork') {
    const forked = await threads.fork(id, { kind: 'latest' });
    if (forked.kind === 'refused') return forked.outcome;
    notice(`This is a fork. The other conversation is kept: /resume ${id}`);
    return { thread: forked };
  }
  const { resumeWithQuestions } = await import('./resume-thread.ts');
  let shown: number | undefined;
  for (;;) {
    const resumed = await resumeWithQuestions(id, { desk, engine, threads, cwd, leaving, notice });
    if (resumed === 'left') return 'left';
    if (resumed !== 'watch') return resumed.kind === 'refused' ? resumed.outcome : { thread: resumed, shown };
    const { showWatchedThread } = await import('../session/watched-thread.ts');
    const placeholder = 'Watching: what you send waits until this terminal continues the conversation';
    const until = await showWatchedThread(id, { ...parts, engine, desk, placeholder });
    if (until === 'left') return 'left';
    shown = until;
  }
}
