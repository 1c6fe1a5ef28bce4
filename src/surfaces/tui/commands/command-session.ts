import type { EngineRefused } from '../../../engine/engine-refused.ts';
import type { Engine } from '../../../engine/engine.ts';
import type { LiveThread, LiveThreads } from '../../../engine/live/live-thread-types.ts';
import type { ThreadId } from '../../../protocol/ids.ts';
import type { ThreadEvent } from '../../../protocol/thread-event.ts';
import type { Composer } from '../draft/composer.ts';
import { draftFromText } from '../draft/draft.ts';
import type { Look } from '../screen/text/look.ts';
import type { View } from '../screen/view.ts';
import type { Cell } from '../transcript/cells/cell.ts';

/** As much of the screen as commands use. */
export interface CommandStage {
  readonly look: Look;
  readonly composer: Pick<Composer, 'isEmpty' | 'offer' | 'vim' | 'vimInput'>;
  readonly transcript: { add(entry: { cell: Cell; isFinal: boolean }): unknown };
  /** In the place of the composer; undefined: the composer is back. */
  open(view: View | undefined): void;
  /** Over everything, on a screen of its own. */
  openPager(pager: View | undefined): void;
  /** The folder that paths are shown relative to, or which key does what. */
  changeLook(change: Partial<Pick<Look, 'cwd' | 'keys'>>): void;
  /** A sequence for the terminal itself, which draws nothing. */
  send(sequence: string): void;
  draw(): void;
}

/** As much of the conversation as commands use. */
export interface CommandSession {
  readonly parts: {
    readonly stage: CommandStage;
    readonly engine: Engine;
    readonly threads: LiveThreads;
    now(): number;
    quit(): void;
  };
  readonly thread: LiveThread;
  readonly entries: {
    event(event: ThreadEvent, at: number | undefined): void;
    /** What is recorded under this id has its cell. */
    ranHere(id: string): void;
  };
  readonly isBusy: boolean;
  /** A message of the user: a turn of its own, or for the turn that runs. */
  sendWords(words: string): void;
  /** Ends what runs. What waits comes back into the composer, or words for the turn are sent at once. */
  interrupt(then: 'send-steers' | 'give-back'): void;
  notice(text: string, level?: 'info' | 'warning' | 'error'): void;
  /** Changes settings of the thread. False: they were refused, and the reason is shown. */
  change(change: unknown): Promise<boolean>;
  switchTo(thread: LiveThread): Promise<void>;
  /** Runs something that is no turn of the thread: what interrupts a turn ends it, and messages wait for its end. */
  workBeside<Result extends { readonly kind: string }>(
    header: string,
    run: (signal: AbortSignal) => Promise<Result | EngineRefused>,
  ): Promise<Result | EngineRefused | undefined>;
  /** Another thread, to be read. The screen is drawn when it changes. */
  readThread(id: ThreadId): { rows(look: Look): readonly string[]; close(): void };
  /** What a list or a view has begun: what goes wrong with it is shown, and what waits comes after it. */
  inBackground(work: Promise<unknown>): void;
}

/** What a command lets the user write on. A draft that the user is writing when the command comes up stays. */
export function putInComposer(session: Pick<CommandSession, 'parts' | 'notice'>, command: string, text: string): void {
  const { stage } = session.parts;
  if (stage.composer.offer(draftFromText(text)) === 'waits')
    session.notice(`${command} waits until you have sent or cleared your draft: it puts words into the composer.`);
  stage.draw();
}

/** A command cannot be run with these words. They come back to be corrected, unless the user writes something else by now. */
export function refuseCommandWords(
  session: Pick<CommandSession, 'parts' | 'notice'>,
  command: string,
  why: string,
): void {
  const { composer } = session.parts.stage;
  if (composer.isEmpty) composer.offer(draftFromText(command));
  session.notice(why, 'error');
}
