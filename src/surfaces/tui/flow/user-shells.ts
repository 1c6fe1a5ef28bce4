import type { Outcome } from '../../../protocol/outcome.ts';
import type { LiveThread } from '../../../engine/live/live-thread-types.ts';
import type { EventEntries } from '../transcript/event-entries.ts';
import type { TuiScreen } from '../screen/tui-screen.ts';

export interface ShellParts {
  readonly stage: TuiScreen;
  readonly entries: EventEntries;
  thread(): LiveThread;
  now(): number;
  told(result: { readonly kind: string; readonly outcome?: Outcome }): void;
}

interface RunningShell {
  readonly command: string;
  readonly since: number;
  readonly stop: AbortController;
  output(): string;
}

/** Commands that the user runs with `!`. The newest is shown above the composer, and Esc ends it first. */
export class UserShells {
  readonly #parts: ShellParts;
  #running: readonly RunningShell[] = [];

  constructor(parts: ShellParts) {
    this.#parts = parts;
  }

  /** Without those that are being stopped. */
  get running(): readonly RunningShell[] {
    return this.#running.filter(({ stop }) => !stop.signal.aborted);
  }

  async run(command: string): Promise<void> {
    const { stage, entries, thread, now, told } = this.#parts;
    const stop = new AbortController();
    const since = now();
    // A character may arrive in parts.
    const decoder = new TextDecoder();
    const shown = entries.shell(command, since);
    const shell: RunningShell = { command, since, stop, output: () => shown.printed() };
    this.#set([...this.#running, shell]);
    try {
      const ran = await thread().shell({
        command,
        signal: stop.signal,
        recordedAs: (id) => entries.ranHere(id),
        output: (bytes) => {
          shown.output(decoder.decode(bytes, { stream: true }));
          stage.draw();
        },
      });
      if (ran.kind === 'refused') told(ran);
      shown.end(ran.kind === 'ran' ? { ...ran, isInterrupted: stop.signal.aborted } : undefined);
    } catch (error) {
      // The caller shows the reason.
      shown.lost();
      throw error;
    } finally {
      this.#set(this.#running.filter((each) => each !== shell));
    }
  }

  /** Ends the newest. False: none runs. */
  stopNewest(): boolean {
    const newest = this.#running.at(-1);
    newest?.stop.abort();
    return newest !== undefined;
  }

  stopAll(): number {
    const { running } = this;
    for (const { stop } of running) stop.abort();
    return running.length;
  }

  #set(running: readonly RunningShell[]): void {
    const { stage } = this.#parts;
    this.#running = running;
    const newest = running.at(-1);
    stage.shell = newest && { header: 'Running your command', since: newest.since, isCommand: true };
  }
}
