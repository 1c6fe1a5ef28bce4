import { suggestConfigKey } from '../../../core/config/keys/explain-wrong-value.ts';
import type { Engine } from '../../../engine/engine.ts';
import { kindOfEntry } from '../../../engine/file-access.ts';
import type { LiveThread, LiveThreads } from '../../../engine/live/live-thread-types.ts';
import { liveThreads } from '../../../engine/live/live-threads.ts';
import type { ThreadId } from '../../../protocol/ids.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { runSlash } from '../commands/run-slash-command.ts';
import type { StartupQuestionDesk } from '../questions/startup/startup-question-desk.ts';
import { askStartupQuestions, type StartupQuestionParts } from '../questions/startup/startup-questions.ts';
import { findTheme, themeChoices } from '../screen/text/themes.ts';
import { readUserThemes } from '../screen/text/user-themes.ts';
import { screenReaderLook } from '../screen/tui-screen.ts';
import { notificationKinds } from '../session/notifier.ts';
import { type SessionParts, TuiSession } from '../session/session.ts';
import { parseStatusIds, statusItems } from '../session/status-items.ts';
import { parseTitleIds } from '../session/status-line.ts';
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

/** Applies `[tui]` and returns what to report. The rest of the table was checked when it was read. */
export async function applySettings(
  { stage, engine, surroundings }: Pick<SessionParts, 'stage' | 'engine' | 'surroundings'>,
  { isInline = false, isFull }: Pick<TuiRequest, 'isInline' | 'isFull'>,
): Promise<readonly Outcome[]> {
  const { theme, ascii, animations, alternateScreen, screenReader, keymap, vimModeDefault } = engine.config.tui;
  const wrongKeys: Outcome[] = [];
  if (keymap !== undefined || vimModeDefault) {
    // Loaded lazily: few users need it.
    const { parseKeyMap } = await import('../screen/keys/read-key-map.ts');
    const { map, problems } = parseKeyMap(keymap, (path) => engine.config.sourceOf(path));
    wrongKeys.push(...problems);
    stage.changeLook({ keys: map });
    if (vimModeDefault) (await import('../draft/vim/vim-mode.ts')).setVimMode(stage, true);
  }
  if (screenReader) stage.changeLook(screenReaderLook);
  if (ascii && stage.look.glyphs === 'unicode') stage.changeLook({ glyphs: 'ascii' });
  if (!animations) stage.changeLook({ motion: 'none' });
  const wantsFull = isFull || (alternateScreen === 'always' && !screenReader && !isInline);
  const notFull = wantsFull && !stage.isFull ? stage.switchMode() : undefined;
  const problems = [wrongKeys, notFull ?? [], unusedKeys(engine), wrongItems(engine)].flat();
  if (theme === undefined) return problems;
  const own = findTheme(theme) === undefined ? await readUserThemes(engine) : { choices: [], problems: [] };
  const choice = findTheme(theme, own.choices);
  if (choice !== undefined) surroundings.appearance.choose(choice);
  // Report an unusable theme file only to users who selected that theme.
  const mine = own.problems.filter(({ name }) => name === theme).map(({ outcome }) => outcome);
  const unknown = choice === undefined && mine.length === 0 ? [unknownTheme(engine, theme)] : [];
  return [...problems, ...mine, ...unknown];
}

function unknownTheme(engine: Engine, theme: string): Outcome {
  const names = themeChoices.map(({ name }) => name);
  return {
    code: 'theme-unknown',
    message: `${whereOf(engine, 'theme')} = ${JSON.stringify(theme)} names no theme. The colours follow the background.`,
    next: `${suggestConfigKey(theme, names)} A theme of your own is a file in ${engine.home}/themes.`,
  };
}

/** Reported once: the file may serve another program as well. */
function unusedKeys(engine: Engine): readonly Outcome[] {
  const { unusedTui } = engine.config;
  if (unusedTui.length === 0) return [];
  const names = unusedTui.map((key) => `tui.${key}`).join(', ');
  const unused: Outcome = {
    code: 'tui-unused-keys',
    message: `Capstan does not support ${names}: what the configuration says there changes nothing.`,
    next: 'It may stay for other programs. The keys that work are those under "The terminal" in docs/configure.md.',
  };
  return engine.recordIfNews(unused) ? [unused] : [];
}

/** Unknown words in list settings. */
function wrongItems(engine: Engine): readonly Outcome[] {
  const { statusLine = [], terminalTitle = [], notifications } = engine.config.tui;
  const report = (key: string, words: readonly string[], known: readonly string[]): readonly Outcome[] =>
    words.map((word) => ({
      code: 'tui-unknown-item',
      message: `${whereOf(engine, key)} names ${JSON.stringify(word)}, which Capstan does not know and leaves out.`,
      next: suggestConfigKey(word, known),
    }));
  const items = Object.keys(statusItems);
  const kinds = typeof notifications === 'boolean' ? [] : notifications;
  const unknownKinds = kinds.filter((kind) => !(notificationKinds as readonly string[]).includes(kind));
  return [
    ...report('status_line', parseStatusIds(statusLine).unknown, items),
    ...report('terminal_title', parseTitleIds(terminalTitle).unknown, ['activity', ...items]),
    ...report('notifications', unknownKinds, notificationKinds),
  ];
}

function whereOf(engine: Engine, key: string): string {
  const source = engine.config.sourceOf(['tui', key]);
  return source === undefined ? `tui.${key}` : `${source}: tui.${key}`;
}
