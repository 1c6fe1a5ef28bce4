import { keepHeapSmall } from '../../engine/keep-heap-small.ts';
import { plainLook, readerLook } from './plain-look.ts';
import { Controller } from './controller.ts';
import type { TuiSession } from './session.ts';
import { TuiStage } from './stage.ts';
import { Surroundings } from './surroundings.ts';
import type { TuiRequest } from './tui-request.ts';
import { promptMarks, takesPromptMarks } from '../screen/osc.ts';
import { ProcessTerminal } from '../screen/process-terminal.ts';
import type { TerminalPort } from '../screen/terminal-port.ts';
import { slashCommands } from '../views/slash-table.ts';
import { TypingPause } from '../views/typing-pause.ts';
import { type PagerOptions, PagerView } from '../views/pager-view.ts';
import { GateDesk } from '../gates/gate-desk.ts';
import { asMessage } from '../composer/command-draft.ts';
import { draftOf } from '../composer/draft.ts';
import { guardWork } from './guard-work.ts';
import { openHelp } from './open-help.ts';
import { quickNotice } from './quick-notice.ts';

/** A process that was asked to end is ended after this time, whatever it still does. */
const endMs = 2000;

/**
 * Opens the terminal. The composer can be used at once; the engine is loaded meanwhile. Gives the exit code: 0 after the
 * user left, 1 if the conversation could not be opened.
 */
export async function openTui(request: TuiRequest, terminal: TerminalPort = new ProcessTerminal()): Promise<number> {
  const now = (): number => Date.now();
  // Not imported: in the bundle Node's own modules come with what `exec` needs, which is more than a first frame needs.
  const places = { cwd: request.cwd, home: process.getBuiltinModule('node:os').homedir() };
  const isReader = request.isReader === true || process.env['CAPSTAN_SCREEN_READER'] === '1';
  const look = { ...plainLook(process.env, places), ...(isReader ? readerLook : {}) };
  const reflows = process.env['XTERM_VERSION'] === undefined || process.env['TMUX'] !== undefined;
  const { promise: left, resolve: leave } = Promise.withResolvers<'quit' | NodeJS.Signals>();
  let session: TuiSession | undefined;
  const { promise: sessionOpened, resolve: sessionIsOpen } = Promise.withResolvers<TuiSession>();
  const marks = takesPromptMarks(process.env) ? { marks: promptMarks } : {};
  const stage = new TuiStage({ terminal, look, isFull: request.isFull, reflows, ...marks, now });
  const pause = new TypingPause(now, request.pauses);
  const surroundings = new Surroundings({ stage, terminal, env: process.env, pause });
  const controller = new Controller({
    stage,
    surroundings,
    conversation: () => session?.acts,
    notice,
    suspend,
    editOutside: () => void guardWork(editDraft(), notice),
    showHelp: () => openHelp(stage, slashCommands),
    quit: () => leave('quit'),
  });
  const { composer } = stage;
  const draft = { input: composer.input.bind(composer), text: () => composer.draft.text };
  const desk = new GateDesk({ open: (view) => stage.open(view), quit: () => leave('quit'), pause, draft });
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
  if (prompt !== '') stage.composer.draft = asMessage(draftOf(prompt));
  stage.begin();
  // While another program has the terminal, Ctrl+C is that program's.
  let isLent = false;
  const onSignal = (name: NodeJS.Signals): void => void (name === 'SIGINT' && isLent ? 0 : leave(name));
  const signals = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const;
  for (const name of signals) process.on(name, onSignal);

  const opening = open(stage);
  const early = await Promise.race([left, opening]);
  const end = typeof early === 'number' ? 'quit' : await left;
  desk.end();
  const summary = (await session?.summary()) ?? [];
  session?.close();
  stage.end(summary);
  terminal.stop();
  for (const name of signals) process.off(name, onSignal);
  if (typeof early === 'number') return early;
  const { closeAll } = await import('./open-session.ts');
  // The engine may still be on its way.
  const closed = opening.then(() => closeAll(session));
  await Promise.race([closed, new Promise((late) => setTimeout(late, endMs).unref())]);
  if (end !== 'quit') process.kill(process.pid, end);
  return 0;

  /** Gives an exit code if it cannot be opened. */
  async function open(shown: TuiStage): Promise<number | undefined> {
    const { openSession } = await import('./open-session.ts');
    const gates = {
      desk,
      lend: async (work: () => Promise<unknown>) => void (await lendScreen(work)),
      showRows: (title: string, rows: PagerOptions['rows']) => showRows(title, rows),
    };
    const opened = await openSession(request, { stage: shown, surroundings, now, quit: () => leave('quit') }, gates);
    if (opened === 'left') {
      leave('quit');
      return undefined;
    }
    if ('code' in opened) {
      shown.end([]);
      terminal.stop();
      const { complain } = await import('../../terminal/print.ts');
      return complain(opened, 1);
    }
    session = opened;
    sessionIsOpen(opened);
    controller.ready(opened.acts);
    shown.drawNow();
    // A terminal in memory shares its process with others.
    if (terminal instanceof ProcessTerminal) keepHeapSmall();
    if (prompt !== '' && shown.composer.words === prompt) opened.acts.send(shown.composer.take());
    return undefined;
  }

  function notice(text: string, level: 'info' | 'error'): void {
    stage.transcript.add({ cell: quickNotice(text, level), isFinal: true });
    stage.draw();
  }

  function suspend(): void {
    stage.stepAside();
    terminal.suspend();
  }

  async function editDraft(): Promise<void> {
    const shown = stage;
    const { editOutside } = await import('./edit-outside.ts');
    const { engine } = (await sessionOpened).parts;
    try {
      const edited = await lendScreen(async () => {
        // An editor with a window of its own leaves the terminal as it is.
        terminal.write('\rSave and close the editor to go on.');
        try {
          return await editOutside(shown.composer.lend(), { env: engine.user.programVariables(), home: engine.home });
        } finally {
          terminal.write('\r\u001B[2K');
        }
      });
      if ('draft' in edited) shown.composer.draft = edited.draft;
      else notice(edited.problem, 'error');
    } finally {
      shown.composer.regain();
      shown.drawNow();
    }
  }

  /** Gives the screen to another program until it has ended. */
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

  /** Rows on a screen of their own, until the user closes it. */
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
