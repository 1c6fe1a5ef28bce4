import { kindOfEntry } from '../../../disk/file-system.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { Engine } from '../../engine/engine.ts';
import type { EngineRefused } from '../../engine/engine-refused.ts';
import { liveThreads } from '../../engine/live/kept-threads.ts';
import type { LiveThread, LiveThreads } from '../../engine/live/live-thread.ts';
import { loadEngine } from '../../exec/load-engine.ts';
import { chooseThreadView } from './choose-thread-view.ts';
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
  const thread = await openThread(engine, threads, request);
  if (thread.kind === 'refused') return thread.outcome;
  const session = new TuiSession({ ...parts, engine, threads, runSlash }, thread);
  const { keymap, vim_mode_default: startsVim } = engine.tuiTable;
  if (keymap !== undefined || startsVim === true) {
    session.inBackground(import('./apply-keys.ts').then(({ applyKeys }) => applyKeys(session, keymap, startsVim)));
  }
  await session.begin();
  if (kindOfEntry(`${engine.home}/prompts`) === 'folder') session.inBackground(offerPrompts(session));
  if (!(await knowsModel(engine))) session.notice(firstSteps(engine.home));
  if (request.thread.kind === 'pick') await chooseThreadView(session, '');
  return session;
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
