import type { ThreadId } from '../../../protocol/ids.ts';
import { fullText } from '../../../protocol/outcome.ts';
import { GateDesk } from '../gates/gate-desk.ts';
import { resumeThroughGates } from '../gates/resume-gate.ts';
import type { TuiSession } from './session.ts';

/** Continues another thread in the place of this one, with the questions that `capstan resume` asks. */
export async function resumeListed(session: TuiSession, id: ThreadId): Promise<void> {
  if (id === session.thread.id) return session.notice('That conversation is open already.');
  return asked(session, id);
}

/** Another program writes the thread that is shown here: the user watches it, forks it or tries again. */
export function regainThread(session: TuiSession): Promise<void> {
  return asked(session, session.thread.id);
}

function asked(session: TuiSession, id: ThreadId): Promise<void> {
  const resuming: Promise<void> = resume(session, id, () => {
    // What the user says behind an answer is for the thread that comes. The one who asked for it learns what goes wrong.
    session.inBackground(resuming.catch(() => undefined));
  });
  return resuming;
}

/** `answered`: a question or a screen is closed, and it goes on. */
async function resume(session: TuiSession, id: ThreadId, answered: () => void): Promise<void> {
  const { engine, threads, stage, surroundings } = session.parts;
  const desk: GateDesk = new GateDesk({
    open(view) {
      stage.open(view);
      if (view === undefined) answered();
    },
    // Who leaves a question here stays in this conversation.
    quit: () => desk.end(),
    pause: surroundings.pause,
  });
  const notice = (text: string): void => session.notice(text, 'error');
  const { cwd } = session.thread.settings;
  const gates = { desk, engine, threads, cwd, canWatch: true, leaving: 'Stay in this conversation', notice } as const;
  for (;;) {
    const resumed = await resumeThroughGates(id, gates);
    if (resumed === 'left') return;
    if (resumed === 'watch') {
      const { watchOver } = await import('./watch-over.ts');
      if ((await watchOver(session, id)) === 'left') return;
      answered();
    } else if (resumed.kind === 'refused') return notice(fullText(resumed.outcome));
    // The one that is shown has gone on by itself, with what the other program has added.
    else return resumed === session.thread ? undefined : session.switchTo(resumed);
  }
}
