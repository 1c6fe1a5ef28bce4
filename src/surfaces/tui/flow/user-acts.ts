import { findSlash, type SlashName } from '../commands/slash-commands.ts';
import { commandMustWaitMessage } from '../draft/draft-message.ts';
import type { DraftServices } from '../draft/draft-services.ts';
import { type Draft, draftFromText, escapeCommandDraft } from '../draft/draft.ts';
import { openNewestDetails, openTranscript } from '../pages/transcript-pager.ts';
import type { TuiSession } from '../session/session.ts';

/** Requests of the user at the keyboard. Each begins when the one before has taken effect. */
export class UserActions {
  readonly #session: TuiSession;
  readonly order = new UserActQueue(() => this.#session.flow.show());

  constructor(session: TuiSession) {
    this.#session = session;
  }

  get isBusy(): boolean {
    return this.#session.isBusy;
  }
  get doors(): DraftServices {
    return this.#session.doors;
  }

  /** Sends a message: as a turn of its own, or to the running turn. */
  send(draft: Draft): void {
    const { flow, shells } = this.#session;
    this.order.do(draft, async () => {
      // The message may refer to the output of the user's command.
      const waits = shells.running.length > 0 && !this.isBusy && !flow.canRetry;
      return waits ? this.queue(draft) : this.#sent(draft);
    });
  }

  /** Sends words in the name of the user for a command, before later requests of the user. */
  sendWords(words: string): void {
    void this.#sent(escapeCommandDraft(draftFromText(words)));
  }

  queue(draft: Draft): void {
    this.#session.flow.queue(draft);
  }

  /** Removes and gives the newest waiting draft. */
  takeQueued(): Draft | undefined {
    const { flow } = this.#session;
    const draft = this.order.takeLast() ?? flow.waiting.takeAt(flow.waiting.queued.length - 1);
    flow.show();
    return draft;
  }

  get canRetry(): boolean {
    // A begun request may be switching to another conversation.
    return this.#session.flow.canRetry && !this.order.isActing;
  }

  retry(): void {
    if (this.canRetry) this.#session.run(this.#session.flow.retry());
  }

  /** True while a turn, a compaction or a command of the user runs. */
  get canInterrupt(): boolean {
    return this.isBusy || this.#session.shells.running.length > 0;
  }

  /** `send-steers` sends at once the messages that the turn has not read. `give-back` returns these and all waiting. */
  interrupt(then: 'send-steers' | 'give-back'): void {
    const { shells, flow } = this.#session;
    if (!shells.stopNewest()) this.#session.run(flow.stop(then));
  }

  shell(command: string): void {
    const { flow, shells } = this.#session;
    const usage =
      'Type a command behind the !, for example !git status. It runs in your shell, and the model reads its output.';
    if (command === '') return this.#session.notice(usage);
    this.order.do(draftFromText(`!${command}`), async () => this.#session.run(flow.holdForShell(shells.run(command))));
  }

  slash(name: SlashName, rest: string): void {
    const session = this.#session;
    // The user can always leave, whatever hangs.
    if (name === 'quit' || name === 'exit') return session.run(session.runSlash(name, rest));
    const draft = draftFromText(rest === '' ? `/${name}` : `/${name} ${rest}`);
    this.order.do(draft, () => session.guard(this.#command(name, rest, draft)));
  }

  cycleMode(): void {
    const session = this.#session;
    this.#press(async () => {
      if (this.isBusy) return session.notice('Plan mode can be switched when the turn has ended.');
      const isPlan = session.thread.settings.collaboration?.mode === 'plan';
      await session.change({ collaboration: { mode: isPlan ? 'default' : 'plan' } });
    });
  }

  cyclePermissions(): void {
    this.#press(async () => (await import('../commands/settings/permissions.ts')).togglePermissions(this.#session));
  }

  stepEffort(by: 1 | -1): void {
    this.#press(async () => (await import('../commands/settings/model.ts')).stepEffort(this.#session, by));
  }

  stepAgent(by: 1 | -1): void {
    const session = this.#session;
    session.run(import('../commands/agents.ts').then(({ showNextAgent }) => showNextAgent(session, by)));
  }

  showTranscript(): void {
    openTranscript(this.#session.parts, () => {
      if (!this.isBusy) this.slash('rewind', '');
    });
  }

  showNewestDetails(): void {
    if (!openNewestDetails(this.#session.parts.stage)) this.#session.notice('No line here has details.');
  }

  /** Requests made after a command that opened a choice wait for the choice. */
  viewOpened(): void {
    const { stage } = this.#session.parts;
    if (stage.isChoosing && !this.isBusy) for (const draft of this.order.takeAll()) this.queue(draft);
    this.order.tookEffect();
  }

  /** Runs a key action on the thread that is current once earlier requests have taken effect. */
  #press(act: () => Promise<unknown>): void {
    this.order.do(undefined, () => this.#session.guard(act()));
  }

  /** Sends the draft to the thread. Settles when the thread has it, not when its turn is over. */
  #sent(draft: Draft): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    void this.#session.guard(this.#session.flow.send(draft, resolve)).finally(resolve);
    return promise;
  }

  async #command(name: SlashName, rest: string, draft: Draft): Promise<void> {
    const session = this.#session;
    const { stage } = session.parts;
    if (!this.isBusy || findSlash(name)?.waits !== true) return session.runSlash(name, rest);
    stage.composer.giveBack(draft);
    stage.popup.closeFor(stage.composer.draft);
    session.notice(commandMustWaitMessage(name, stage.look), 'error');
  }
}

type Act = () => Promise<unknown>;

/** Requests of the user in order. A later one waits, and can be taken back, until the one before has taken effect. */
export class UserActQueue {
  readonly #changed: () => void;
  readonly #begun = new Set<Act>();
  /** Waiting requests, with their drafts for the composer; a request by key has none. */
  #later: readonly { readonly act: Act; readonly draft?: Draft }[] = [];

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get later(): readonly Draft[] {
    return this.#later.flatMap(({ draft }) => draft ?? []);
  }

  /** A request has not taken effect yet. */
  get isActing(): boolean {
    return this.#begun.size + this.#later.length > 0;
  }

  /** Runs now, or once earlier requests have taken effect. Without a draft it cannot be taken back. */
  do(draft: Draft | undefined, act: Act): void {
    if (this.#begun.size === 0) return this.#begin(act);
    this.#later = [...this.#later, { act, draft }];
    this.#changed();
  }

  during(work: Promise<unknown>): void {
    this.#begin(() => work);
  }

  /** Call when the effect of the begun request is visible, though it continues: later requests refer to its result. */
  tookEffect(): void {
    if (this.#begun.size === 0) return;
    this.#begun.clear();
    // The caller has not finished its step yet.
    queueMicrotask(() => this.#next());
  }

  takeLast(): Draft | undefined {
    const last = this.#later.findLast(({ draft }) => draft !== undefined);
    this.#later = this.#later.filter((each) => each !== last);
    return last?.draft;
  }

  takeAll(): readonly Draft[] {
    const drafts = this.later;
    this.#later = this.#later.filter(({ draft }) => draft === undefined);
    return drafts;
  }

  #next(): void {
    const [first, ...others] = this.#later;
    if (this.#begun.size > 0 || first === undefined) return;
    this.#later = others;
    this.#begin(first.act);
    this.#changed();
  }

  #begin(act: Act): void {
    // Register it before the call: it may take effect at once.
    this.#begun.add(act);
    const over = (): void => {
      if (this.#begun.delete(act)) this.#next();
    };
    void act().then(over, over);
  }
}
