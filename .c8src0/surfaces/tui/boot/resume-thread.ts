import { type EngineRefused, engineRefused } from '../../../engine/engine-refused.ts';
import type { Engine } from '../../../engine/engine.ts';
import type { LiveRequest, LiveThread, LiveThreads } from '../../../engine/live/live-thread-types.ts';
import type { ThreadWriter } from '../../../engine/store/stored-thread-details.ts';
import type { ThreadId } from '../../../protocol/ids.ts';
import { outcomeText, type Outcome } from '../../../protocol/outcome.ts';
import { clockTime } from '../../views/wording/time-words.ts';
import { StartupQuestionDesk } from '../questions/startup/startup-question-desk.ts';
import type { TuiSession } from '../session/session.ts';

/** Replaces this thread with another one, asking the same questions as `capstan resume`. */
export async function resumePickedThread(session: TuiSession, id: ThreadId): Promise<void> {
  if (id === session.thread.id) return session.notice('That conversation is open already.');
  return asked(session, id);
}

/** Handles another program writing the shown thread: the user watches it, forks it or tries again. */
export const resolveThreadConflict = (session: TuiSession): Promise<void> => asked(session, session.thread.id);

function asked(session: TuiSession, id: ThreadId): Promise<void> {
  const resuming: Promise<void> = resume(session, id, () => {
    // Messages typed after an answer are for the next thread. Errors are reported to the caller.
    session.inBackground(resuming.catch(() => undefined));
  });
  return resuming;
}

/** `answered` is called when a question or a screen is closed and resuming continues. */
async function resume(session: TuiSession, id: ThreadId, answered: () => void): Promise<void> {
  const { engine, threads, stage, surroundings } = session.parts;
  const desk: StartupQuestionDesk = new StartupQuestionDesk({
    open(view) {
      stage.open(view);
      if (view === undefined) answered();
    },
    // Leaving a question here keeps the user in this conversation.
    quit: () => desk.end(),
    pause: surroundings.pause,
  });
  const notice = (text: string): void => session.notice(text, 'error');
  const { cwd } = session.thread.settings;
  const gates = { desk, engine, threads, cwd, leaving: 'Stay in this conversation', notice };
  for (;;) {
    const resumed = await resumeWithQuestions(id, gates);
    if (resumed === 'left') return;
    if (resumed === 'watch') {
      const { watchOtherThread } = await import('../session/watched-thread.ts');
      if ((await watchOtherThread(session, id)) === 'left') return;
      answered();
    } else if (resumed.kind === 'refused') return notice(outcomeText(resumed.outcome));
    // If it is the shown thread, it has already resumed with what the other program added.
    else return resumed === session.thread ? undefined : session.switchTo(resumed);
  }
}

interface ResumeParts {
  readonly desk: StartupQuestionDesk;
  readonly engine: Engine;
  readonly threads: LiveThreads;
  readonly cwd: string;
  readonly leaving: string;
  notice(text: string): void;
}

/** `watch`: the user wants to see what another program writes. `left`: the user gave up. */
type Resumed = LiveThread | EngineRefused | 'watch' | 'left';

/** Opens a stored thread, and asks the user if it is archived, written elsewhere, or of another folder. */
export async function resumeWithQuestions(id: ThreadId, parts: ResumeParts): Promise<Resumed> {
  let request: LiveRequest = {};
  let problem: string | undefined;
  for (;;) {
    const opened = await parts.threads.load(id, request);
    if (opened.kind !== 'refused')
      return request.folderMayBeMissing === true ? moved(opened, parts.cwd) : atHome(opened, parts);
    const next = await askAbout(opened.outcome);
    if (next !== 'again') return next;
  }

  async function askAbout(outcome: Outcome): Promise<Resumed | 'again'> {
    if (outcome.code === 'thread-archived') return askAboutArchived();
    if (outcome.code === 'thread-locked') return askAboutWriter(outcome);
    if (outcome.code !== 'folder-missing') return engineRefused(outcome);
    const chosen = await parts.desk.ask({
      title: 'The folder of this conversation is not there any more.',
      text: [outcome.message],
      choices: [{ label: `Continue it in ${parts.cwd}` }, { label: parts.leaving }],
    });
    if (chosen !== 0) return 'left';
    if (request.folderMayBeMissing === true) return engineRefused(outcome);
    request = { folderMayBeMissing: true };
    return 'again';
  }

  async function askAboutArchived(): Promise<'left' | 'again'> {
    const chosen = await parts.desk.ask({
      title: 'This conversation is archived.',
      problem,
      choices: [{ label: 'Bring it back and continue' }, { label: 'Leave it there' }],
    });
    if (chosen !== 0) return 'left';
    const back = await parts.engine.stored.unarchive(id);
    problem = back.kind === 'refused' ? outcomeText(back.outcome) : undefined;
    return 'again';
  }

  async function askAboutWriter(outcome: Outcome): Promise<Resumed | 'again'> {
    const writer = await parts.engine.stored.writing(id);
    const chosen = await parts.desk.ask({
      title: `This conversation is being written by ${writer === undefined ? 'another program' : describeThreadWriter(writer)}.`,
      text: writer === undefined ? [outcome.message] : undefined,
      choices: [
        { label: 'Watch it here', about: 'and continue it when the other has ended' },
        { label: 'Fork it', about: 'a conversation of its own that begins with all of this one' },
        { label: 'Try again' },
        { label: parts.leaving },
      ],
    });
    if (chosen === 0) return 'watch';
    if (chosen === 1) return parts.threads.fork(id, { kind: 'latest' }, {});
    return chosen === 2 ? 'again' : 'left';
  }
}

async function atHome(thread: LiveThread, parts: ResumeParts): Promise<Resumed> {
  const { engine, cwd } = parts;
  if (thread.settings.cwd === cwd) return thread;
  const folder = engine.config.tui.resumeCwd ?? (await askForFolder(thread.settings.cwd, parts));
  if (folder === 'session') return thread;
  if (folder === 'current') return moved(thread, cwd);
  // Let other programs write it again.
  await thread.leave();
  return 'left';
}

async function moved(thread: LiveThread, cwd: string): Promise<Resumed> {
  const done = await thread.override({ cwd });
  return done.kind === 'refused' ? done : thread;
}

async function askForFolder(
  own: string,
  { desk, engine, cwd, notice }: ResumeParts,
): Promise<'session' | 'current' | 'left'> {
  const chosen = await desk.ask({
    title: 'This conversation belongs to another folder.',
    choices: [
      { label: `Continue it in ${own}`, about: 'its own folder' },
      { label: `Continue it in ${cwd}`, about: 'where you are' },
      { label: 'Always in their own folder', about: 'for all conversations, saved as tui.resume_cwd' },
      { label: 'Always where I am', about: 'for all conversations, saved as tui.resume_cwd' },
    ],
  });
  if (typeof chosen !== 'number') return 'left';
  const folder = chosen === 1 || chosen === 3 ? 'current' : 'session';
  if (chosen === 2 || chosen === 3) {
    const problem = await engine.config.saveTui({ resume_cwd: folder });
    if (problem !== undefined) notice(outcomeText(problem));
  }
  return folder;
}

export function describeThreadWriter({ name, pid, since, command }: ThreadWriter): string {
  const program = command ? `${name} ${command}` : name;
  const more = [
    ...(command === '' ? ['another terminal'] : []),
    ...(pid === undefined ? [] : [`process ${pid}`]),
    ...(since === undefined || Number.isNaN(since) ? [] : [`since ${clockTime(since)}`]),
  ];
  return more.length === 0 ? program : `${program} (${more.join(', ')})`;
}
