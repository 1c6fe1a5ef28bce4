import type { ThreadId } from '../../../protocol/ids.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { ThreadSummary } from '../../../protocol/thread-summary.ts';
import type { Engine } from '../../engine/engine.ts';
import type { EngineRefused } from '../../engine/engine-refused.ts';
import { liveThreads } from '../../engine/live/kept-threads.ts';
import type { LiveThread, LiveThreads } from '../../engine/live/live-thread.ts';
import { loadEngine } from '../../exec/load-engine.ts';
import { chooseThreadView } from './choose-thread-view.ts';
import { resumeThread } from './resume-thread.ts';
import { TuiSession, type SessionParts } from './session.ts';
import { runSlash } from './slash-actions.ts';
import type { TuiRequest } from './tui-request.ts';

/** Loads the engine and opens the thread that is wanted. */
export async function openSession(
  request: TuiRequest,
  parts: Pick<SessionParts, 'stage' | 'now' | 'quit'>,
): Promise<TuiSession | Outcome> {
  const engine = await loadEngine(request.choices, request.cwd, 'cli');
  if (engine.kind === 'refused') return engine.outcome;
  const threads = liveThreads(engine);
  const wanted = await wantedThread(engine, request);
  if ('code' in wanted) return wanted;
  const thread = await openThread(threads, request, wanted);
  if (thread.kind === 'refused') return thread.outcome;
  const session = new TuiSession({ ...parts, engine, threads, runSlash }, thread);
  await session.begin();
  if (!(await knowsModel(engine))) session.notice(firstSteps(engine.home));
  const { does = 'resume', anyFolder = false } = request;
  if (request.thread.kind === 'pick') await chooseThreadView(session, '', { does, anyFolder });
  if (wanted.kind === 'elsewhere') await resumeThread(session, wanted.thread);
  return session;
}

/** Gives everything up. What runs is interrupted; what waits for an answer waits for the next time. */
export async function closeAll(session: TuiSession | undefined): Promise<void> {
  await session?.parts.engine.close();
}

/** `elsewhere`: it worked in another folder, and the user says where it continues. */
type WantedThread =
  | { readonly kind: 'none' }
  | { readonly kind: 'here'; readonly id: ThreadId }
  | { readonly kind: 'elsewhere'; readonly thread: ThreadSummary };

async function wantedThread(
  engine: Engine,
  { cwd, thread, does, anyFolder = false }: TuiRequest,
): Promise<WantedThread | Outcome> {
  if (thread.kind === 'new' || thread.kind === 'pick') return { kind: 'none' };
  const chosen = await engine.stored.choose({ ...thread, ...(anyFolder ? {} : { cwd }) });
  if (chosen.kind === 'none') return chosen;
  // Without --all it is one of this folder.
  const summary = anyFolder && does !== 'fork' ? await engine.stored.summary(chosen.id) : undefined;
  if (summary === undefined || 'code' in summary || summary.cwd === cwd) return { kind: 'here', id: chosen.id };
  return { kind: 'elsewhere', thread: summary };
}

function openThread(
  threads: LiveThreads,
  { cwd, does }: TuiRequest,
  wanted: WantedThread,
): Promise<LiveThread | EngineRefused> {
  if (wanted.kind !== 'here') return threads.start({ cwd });
  return does === 'fork' ? threads.fork(wanted.id, { kind: 'latest' }) : threads.load(wanted.id);
}

/** With a key or a login of OpenAI there is nothing to configure. */
async function knowsModel(engine: Engine): Promise<boolean> {
  if (engine.isSetUp) return true;
  const logins = await engine.logins();
  return logins.variables.length > 0 || (await logins.status()).kind !== 'none';
}

/** What a user sees who has configured nothing. */
function firstSteps(home: string): string {
  return [
    `No model is configured yet. Set one of these, then start Capstan again:`,
    ``,
    `An OpenAI key:    export OPENAI_API_KEY=…`,
    `A login:          capstan login`,
    `A local model:    capstan --oss`,
    `Other providers:  model and model_provider in ${home}/config.toml, see docs/providers.md`,
    ``,
    '`capstan demo` shows Capstan at work without a model.',
  ].join('\n');
}
