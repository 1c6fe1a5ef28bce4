import type { Outcome } from '../../../protocol/outcome.ts';
import type { Engine } from '../../engine/engine.ts';
import type { EngineRefused } from '../../engine/engine-refused.ts';
import { liveThreads } from '../../engine/live/kept-threads.ts';
import type { LiveThread, LiveThreads } from '../../engine/live/live-thread.ts';
import { type GateParts, passGates } from '../gates/pass-gates.ts';
import { chooseThreadView } from './choose-thread-view.ts';
import { TuiSession, type SessionParts } from './session.ts';
import { runSlash } from './slash-actions.ts';
import type { TuiRequest } from './tui-request.ts';

/** Loads the engine and opens the thread that is wanted. `left`: the user left before that. */
export async function openSession(
  request: TuiRequest,
  parts: Pick<SessionParts, 'stage' | 'now' | 'quit'>,
  gates: Omit<GateParts, 'notice'>,
): Promise<TuiSession | Outcome | 'left'> {
  const decided: string[] = [];
  const engine = await passGates(request, { ...gates, notice: (text) => void decided.push(text) });
  if (engine === 'left' || 'code' in engine) return engine;
  const threads = liveThreads(engine);
  const thread = await openThread(engine, threads, request);
  if (thread.kind === 'refused') return thread.outcome;
  const session = new TuiSession({ ...parts, engine, threads, runSlash }, thread);
  await session.begin();
  for (const text of decided) session.notice(text);
  if (request.thread.kind === 'pick') await chooseThreadView(session, '');
  return session;
}

/** Gives everything up. What runs is interrupted; what waits for an answer waits for the next time. */
export async function closeAll(session: TuiSession | undefined): Promise<void> {
  await session?.parts.engine.close();
}

async function openThread(
  engine: Engine,
  threads: LiveThreads,
  { cwd, thread, anyFolder = false }: TuiRequest,
): Promise<LiveThread | EngineRefused> {
  if (thread.kind === 'new' || thread.kind === 'pick') return threads.start({ cwd });
  const chosen = await engine.stored.choose({ ...thread, ...(anyFolder ? {} : { cwd }) });
  if (chosen.kind === 'none') return { kind: 'refused', outcome: chosen };
  return threads.load(chosen.id);
}
