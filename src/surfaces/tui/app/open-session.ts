import { kindOfEntry } from '../../../disk/file-system.ts';
import { defined } from '../../../protocol/defined.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { Engine } from '../../engine/engine.ts';
import { liveThreads } from '../../engine/live/kept-threads.ts';
import type { LiveThread, LiveThreads } from '../../engine/live/live-thread.ts';
import type { GateDesk } from '../gates/gate-desk.ts';
import { type GateParts, passGates } from '../gates/pass-gates.ts';
import { applySettings } from './apply-settings.ts';
import { chooseThreadView } from './choose-thread-view.ts';
import { TuiSession, type SessionParts } from './session.ts';
import { runSlash } from './slash-actions.ts';
import type { TuiRequest } from './tui-request.ts';

/** Loads the engine and opens the thread that is wanted. `left`: the user left before that. */
export async function openSession(
  request: TuiRequest,
  parts: Pick<SessionParts, 'stage' | 'surroundings' | 'now' | 'quit'>,
  gates: Omit<GateParts, 'notice'>,
): Promise<TuiSession | Outcome | 'left'> {
  const decided: string[] = [];
  const notice = (text: string): void => void decided.push(text);
  const engine = await passGates(request, { ...gates, notice });
  if (engine === 'left' || 'code' in engine) return engine;
  const threads = liveThreads(engine);
  const opened = await openThread(engine, threads, { request, parts, desk: gates.desk, notice });
  if (opened === 'left' || 'code' in opened) {
    await engine.close();
    return opened;
  }
  const { thread, shown } = opened;
  const session = new TuiSession({ ...parts, engine, threads, runSlash, regain, ...defined({ shown }) }, thread);
  const notices = await applySettings(session, request);
  await session.begin(shown === undefined ? {} : { shows: 'none' });
  for (const notice of notices) session.entries.outcome(notice, 'warning');
  for (const text of decided) session.notice(text);
  if (kindOfEntry(`${engine.home}/prompts`) === 'folder') session.inBackground(offerPrompts(session));
  const { does = 'resume', anyFolder = false } = request;
  if (request.thread.kind === 'pick') await chooseThreadView(session, '', { does, anyFolder });
  return session;
}

async function regain(session: TuiSession): Promise<void> {
  const { regainThread } = await import('./resume-thread.ts');
  return regainThread(session);
}

/** The list of commands has the user's own prompts as well. */
async function offerPrompts(session: TuiSession): Promise<void> {
  const { listedPrompts } = await import('../commands/prompts.ts');
  const { stage } = session.parts;
  stage.popup.more = await listedPrompts(session);
  stage.draw();
}

/** Gives everything up. What runs is interrupted; what waits for an answer waits for the next time. */
export async function closeAll(session: TuiSession | undefined): Promise<void> {
  await session?.doors.kept;
  await session?.parts.engine.close();
}

interface Opening {
  readonly request: TuiRequest;
  readonly parts: Pick<SessionParts, 'stage' | 'now'>;
  readonly desk: GateDesk;
  notice(text: string): void;
}

/** `shown`: it was watched, and is on the stage up to this place. */
interface Opened {
  readonly thread: LiveThread;
  readonly shown?: number;
}

async function openThread(
  engine: Engine,
  threads: LiveThreads,
  { request: { cwd, thread, does, anyFolder = false }, parts, desk, notice }: Opening,
): Promise<Opened | Outcome | 'left'> {
  if (thread.kind === 'new' || thread.kind === 'pick') {
    const started = await threads.start({ cwd });
    return started.kind === 'refused' ? started.outcome : { thread: started };
  }
  const chosen = await engine.stored.choose({ ...thread, ...(anyFolder ? {} : { cwd }) });
  if (chosen.kind === 'none') return chosen;
  if (does === 'fork') {
    const forked = await threads.fork(chosen.id, { kind: 'latest' });
    return forked.kind === 'refused' ? forked.outcome : { thread: forked };
  }
  const { resumeThroughGates } = await import('../gates/resume-gate.ts');
  let shown: number | undefined;
  for (;;) {
    const gates = { desk, engine, threads, cwd, canWatch: true, leaving: 'Leave', notice } as const;
    const resumed = await resumeThroughGates(chosen.id, gates);
    if (resumed === 'left') return 'left';
    if (resumed === 'watch') {
      const { showWatched } = await import('./show-watched.ts');
      const placeholder = 'Watching: what you send waits until this terminal continues the conversation';
      const until = await showWatched(chosen.id, { ...parts, engine, desk, placeholder });
      if (until === 'left') return 'left';
      shown = until;
      continue;
    }
    return resumed.kind === 'refused' ? resumed.outcome : { thread: resumed, ...defined({ shown }) };
  }
}
