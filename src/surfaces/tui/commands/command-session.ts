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

export interface CommandStage {
  readonly look: Look;
  readonly composer: Pick<Composer, 'isEmpty' | 'offer' | 'vim' | 'vimInput'>;
  readonly transcript: { add(entry: { cell: Cell; isFinal: boolean }): unknown };
  open(view: View | undefined): void;
  openPager(pager: View | undefined): void;
  /** Changes the folder that paths are shown relative to, or the key bindings. */
  changeLook(change: Partial<Pick<Look, 'cwd' | 'keys'>>): void;
  send(sequence: string): void;
  draw(): void;
}

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
    /** The record with this id already has its cell. */
    ranHere(id: string): void;
  };
  readonly isBusy: boolean;
  /** Sends a user message: as a turn of its own, or to the running turn. */
  sendWords(words: string): void;
  /** Interrupts running work. Queued messages return to the composer, or steering messages are sent at once. */
  interrupt(then: 'send-steers' | 'give-back'): void;
  notice(text: string, level?: 'info' | 'warning' | 'error'): void;
  /** Changes settings of the thread. False: they were refused, and the reason is shown. */
  change(change: unknown): Promise<boolean>;
  switchTo(thread: LiveThread): Promise<void>;
  /** Runs work that is no turn of the thread. Interrupting a turn ends it too, and messages wait for its end. */
  workBeside<Result extends { readonly kind: string }>(
    header: string,
    run: (signal: AbortSignal) => Promise<Result | EngineRefused>,
  ): Promise<Result | EngineRefused | undefined>;
  readThread(id: ThreadId): { rows(look: Look): readonly string[]; close(): void };
  /** Tracks work begun by a list or view: its errors are shown, and queued work waits for it. */
  inBackground(work: Promise<unknown>): void;
}

/** Puts a command's text into the composer. A draft that the user is already writing is kept. */
export function putInComposer(session: Pick<CommandSession, 'parts' | 'notice'>, command: string, text: string): void {
  const { stage } = session.parts;
  if (stage.composer.offer(draftFromText(text)) === 'waits')
    session.notice(`${command} waits until you have sent or cleared your draft: it puts words into the composer.`);
  stage.draw();
}

/**
 * Reports bad arguments of a command. They return to the composer for correction, unless the user has typed something
 * else.
 */
export function refuseCommandWords(
  session: Pick<CommandSession, 'parts' | 'notice'>,
  command: string,
  why: string,
): void {
  const { composer } = session.parts.stage;
  if (composer.isEmpty) composer.offer(draftFromText(command));
  session.notice(why, 'error');
}
