import { limitHeapGrowth } from '../../../engine/limit-heap-growth.ts';
import type { EngineChoices } from '../../views/command-line/load-engine.ts';
import { slashCommands } from '../commands/slash-commands.ts';
import { draftFromText, escapeCommandDraft } from '../draft/draft.ts';
import { reportWorkErrors } from '../flow/running-work.ts';
import { openHelp } from '../pages/help.ts';
import { listMargin } from '../pages/list-parts.ts';
import { type PagerOptions, PagerView } from '../pages/pager-view.ts';
import { StartupQuestionDesk } from '../questions/startup/startup-question-desk.ts';
import { type TypingPauseTimes, TypingPause } from '../questions/typing-pause.ts';
import { ProcessTerminal } from '../screen/terminal/process-terminal.ts';
import type { TerminalPort } from '../screen/terminal/terminal-port.ts';
import { promptMarks, takesPromptMarks } from '../screen/terminal/terminal-sequences.ts';
import { cleanLine } from '../screen/text/clean-text.ts';
import { drawRows } from '../screen/text/draw-row.ts';
import { glyphsOf } from '../screen/text/look.ts';
import { badStyle, dimStyle, styled } from '../screen/text/style.ts';
import { wrapRow } from '../screen/text/wrap-row.ts';
import { defaultScreenLook, screenReaderLook, TuiScreen } from '../screen/tui-screen.ts';
import { KeyboardController } from '../session/keyboard-controller.ts';
import type { TuiSession } from '../session/session.ts';
import { TerminalContext } from '../session/terminal-context.ts';
import type { Cell } from '../transcript/cells/cell.ts';

const endMs = 2000;

/** The engine loads while the composer is used. Exit code 0: the user left; 1: the conversation could not be opened. */
export async function openTui(request: TuiRequest, terminal: TerminalPort = new ProcessTerminal()): Promise<number> {
  const now = (): number => Date.now();
  // Not imported: the bundle has Node's own modules in a chunk with parts of `exec`, too much for a first frame.
  const places = { cwd: request.cwd, home: process.getBuiltinModule('node:os').homedir() };
  const isReader = request.isReader === true || process.env['CAPSTAN_SCREEN_READER'] === '1';
  const look = { ...defaultScreenLook(process.env, places), ...(isReader ? screenReaderLook : {}) };
  const reflows = process.env['XTERM_VERSION'] === undefined || process.env['TMUX'] !== undefined;
  const { promise: left, resolve: leave } = Promise.withResolvers<'quit' | NodeJS.Signals>();
  let session: TuiSession | undefined;
  const { promise: sessionOpened, resolve: sessionIsOpen } = Promise.withResolvers<TuiSession>();
  const marks = takesPromptMarks(process.env) ? promptMarks : undefined;
  const stage = new TuiScreen({ terminal, look, isFull: request.isFull, reflows, marks, now });
  const pause = new TypingPause(now, request.pauses);
  const surroundings = new TerminalContext({ stage, terminal, env: process.env, pause });
  const controller = new KeyboardController({
    stage,
    surroundings,
    conversation: () => session?.acts,
    notice,
    suspend,
    editOutside: () => void reportWorkErrors(editDraft(), notice),
    showHelp: () => openHelp(stage, slashCommands),
    quit: () => leave('quit'),
  });
  const { composer } = stage;
  const draft = { input: composer.input.bind(composer), text: () => composer.draft.text };
  const desk = new StartupQuestionDesk({ open: (view) => stage.open(view), quit: () => leave('quit'), pause, draft });
  terminal.start({
    input: (input) => controller.input(input),
    resize: () => stage.resized(),
    resumed: () => {
      surroundings.cameBack();
      stage.cameBack();
    },
    stop: suspend,
    lost: () => leave('SIGHUP'),
  });
  const prompt = request.prompt?.trim() ?? '';
  if (prompt !== '') composer.draft = escapeCommandDraft(draftFromText(prompt));
  stage.begin();
  // While another program has the terminal, Ctrl+C is that program's.
  let isLent = false;
  const onSignal = (name: NodeJS.Signals): void => void (name === 'SIGINT' && isLent ? 0 : leave(name));
  const signals = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const;
  for (const name of signals) process.on(name, onSignal);

  const opening = open();
  const early = await Promise.race([left, opening]);
  const end = typeof early === 'number' ? 'quit' : await left;
  desk.end();
  const summary = (await session?.summary()) ?? [];
  session?.close();
  stage.end(summary);
  terminal.stop();
  for (const name of signals) process.off(name, onSignal);
  if (typeof early === 'number') return early;
  const { closeSession } = await import('./open-session.ts');
  const closed = opening.then(() => closeSession(session));
  await Promise.race([closed, new Promise((late) => setTimeout(late, endMs).unref())]);
  if (end !== 'quit') process.kill(process.pid, end);
  return 0;

  /** Gives an exit code only if the session cannot be opened. */
  async function open(): Promise<number | undefined> {
    const { openSession } = await import('./open-session.ts');
    const gates = { desk, lend: lendScreen, showRows };
    const opened = await openSession(request, { stage, surroundings, now, quit: () => leave('quit') }, gates);
    if (opened === 'left') {
      leave('quit');
      return undefined;
    }
    if ('code' in opened) {
      stage.end([]);
      terminal.stop();
      return (await import('../../views/terminal/print.ts')).printFailure(opened, 1);
    }
    session = opened;
    sessionIsOpen(opened);
    controller.ready(opened.acts);
    stage.drawNow();
    // A terminal in memory shares its process with others.
    if (terminal instanceof ProcessTerminal) limitHeapGrowth();
    if (prompt !== '' && composer.words === prompt) opened.acts.send(composer.take());
    return undefined;
  }

  function notice(text: string, level: 'info' | 'error'): void {
    stage.transcript.add({ cell: earlyNotice(text, level), isFinal: true });
    stage.draw();
  }

  function suspend(): void {
    stage.stepAside();
    terminal.suspend();
  }

  async function editDraft(): Promise<void> {
    const { editInExternalEditor } = await import('../draft/external-editor.ts');
    const { engine } = (await sessionOpened).parts;
    try {
      const edited = await lendScreen(async () => {
        // A graphical editor leaves the terminal as it is.
        terminal.write('\rSave and close the editor to go on.');
        try {
          const env = engine.user.programVariables();
          return await editInExternalEditor(composer.lend(), { env, home: engine.home });
        } finally {
          terminal.write('\r\u001B[2K');
        }
      });
      if ('draft' in edited) composer.draft = edited.draft;
      else notice(edited.problem, 'error');
    } finally {
      composer.regain();
      stage.drawNow();
    }
  }

  async function lendScreen<Result>(work: () => Promise<Result>): Promise<Result> {
    stage.stepAside();
    isLent = true;
    try {
      return await terminal.lend(work);
    } finally {
      isLent = false;
      stage.cameBack();
    }
  }

  function showRows(title: string, rows: PagerOptions['rows']): Promise<void> {
    return new Promise((closed) => {
      const close = (): void => {
        stage.openPager(undefined);
        closed();
      };
      stage.openPager(new PagerView({ title, rows, close }));
    });
  }
}

/** The conversation to open. `pick`: the user chooses from a list. */
export type WantedConversation =
  | { readonly kind: 'new' }
  | { readonly kind: 'pick' }
  | { readonly kind: 'last' }
  | { readonly kind: 'named'; readonly name: string };

export interface TuiRequest {
  /** Absolute. */
  readonly cwd: string;
  readonly choices: EngineChoices;
  readonly thread: WantedConversation;
  /** Absent: the earlier conversation is resumed. */
  readonly does?: 'resume' | 'fork';
  readonly anyFolder?: boolean;
  readonly prompt?: string;
  readonly isFull: boolean;
  readonly isReader?: boolean;
  /** Use the scrollback whatever the configuration says. */
  readonly isInline?: boolean;
  /** Quiet time before questions. Absent: the times for human typing. */
  readonly pauses?: TypingPauseTimes;
}

export const earlyNotice = (text: string, level: 'info' | 'error'): Cell => ({
  rows(look) {
    const { bullet, error } = glyphsOf(look);
    const [mark, style] = level === 'error' ? [error, badStyle] : [bullet, dimStyle];
    const form = mark === '' ? {} : { first: [styled(`${mark} `, style)], rest: listMargin };
    return drawRows(wrapRow([styled(cleanLine(text), style)], { width: look.width, ...form }), look);
  },
});
