import type { CommandSession } from '../commands/command-session.ts';
import { findSlash, type SlashName } from '../commands/slash-commands.ts';
import { commandMustWaitMessage } from '../draft/draft-message.ts';
import type { DraftServices } from '../draft/draft-services.ts';
import { type Draft, draftFromText, escapeCommandDraft } from '../draft/draft.ts';
import { openNewestDetails, openTranscript } from '../pages/transcript-pager.ts';
import type { TuiScreen } from '../screen/tui-screen.ts';
import type { Conversation } from '../session/keyboard-controller.ts';
import type { TurnFlow } from './turn-flow.ts';
import type { UserShells } from './user-shells.ts';

/** As much of a session as the keyboard uses. */
interface ActedSession extends CommandSession {
  readonly parts: CommandSession['parts'] & { readonly stage: TuiScreen };
  readonly doors: DraftServices;
  readonly flow: TurnFlow;
  readonly shells: UserShells;
  /** Does what a command of the terminal says. */
  runSlash(name: SlashName, rest: string): Promise<void>;
  /** What goes wrong with it is shown. */
  run(work: Promise<unknown>): void;
  /** The same, for one who waits until it is over. */
  guard(work: Promise<unknown>): Promise<void>;
}

/** What the user asks of a session at the keyboard. Each act begins when the one before has taken effect. */
export class UserActs implements Conversation {
  readonly #session: ActedSession;
  readonly #order = new UserActQueue(() => this.#session.flow.show());

  constructor(session: ActedSession) {
    this.#session = session;
  }

  get isBusy(): boolean {
    return this.#session.isBusy;
  }

  get doors(): DraftServices {
    return this.#session.doors;
  }

  /** What the user asked for and has not begun yet. */
  get later(): readonly Draft[] {
    return this.#order.later;
  }

  send(draft: Draft): void {
    const { flow, shells } = this.#session;
    this.#order.do(draft, async () => {
      // It may be about what the user's command prints.
      const waits = shells.running.length > 0 && !this.isBusy && !flow.canRetry;
      return waits ? this.queue(draft) : this.#sent(draft);
    });
  }

  /** What a command says in the name of the user: it comes before what the user said since. */
  sendWords(words: string): void {
    void this.#sent(escapeCommandDraft(draftFromText(words)));
  }

  queue(draft: Draft): void {
    this.#session.flow.queue(draft);
  }

  takeQueued(): Draft | undefined {
    const { flow } = this.#session;
    const draft = this.#order.takeLast() ?? flow.waiting.takeLast();
    flow.show();
    return draft;
  }

  get canRetry(): boolean {
    // What has begun may be taking the user to another conversation.
    return this.#session.flow.canRetry && !this.#order.isActing;
  }

  retry(): void {
    if (this.canRetry) this.#session.run(this.#session.flow.retry());
  }

  get canInterrupt(): boolean {
    return this.isBusy || this.#session.shells.running.length > 0;
  }

  interrupt(then: 'send-steers' | 'give-back'): void {
    this.#session.interrupt(then);
  }

  shell(command: string): void {
    const session = this.#session;
    if (command === '')
      return session.notice(
        'Type a command behind the !, for example !git status. It runs in your shell, and the model reads its output.',
      );
    const { flow, shells } = session;
    this.#order.do(draftFromText(`!${command}`), async () => session.run(flow.holdForShell(shells.run(command))));
  }

  slash(name: SlashName, rest: string): void {
    const session = this.#session;
    // Whatever hangs, the user can leave.
    if (name === 'quit' || name === 'exit') return session.run(session.runSlash(name, rest));
    const draft = draftFromText(rest === '' ? `/${name}` : `/${name} ${rest}`);
    this.#order.do(draft, () => session.guard(this.#command(name, rest, draft)));
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
    this.#press(async () => (await import('../commands/settings/permissions.ts')).nextPermissions(this.#session));
  }

  stepEffort(by: 1 | -1): void {
    this.#press(async () => (await import('../commands/settings/model.ts')).stepEffort(this.#session, by));
  }

  stepAgent(by: 1 | -1): void {
    const session = this.#session;
    session.run(import('../commands/agents.ts').then(({ stepAgent }) => stepAgent(session, by)));
  }

  showTranscript(): void {
    openTranscript(this.#session.parts, () => {
      if (!this.isBusy) this.slash('rewind', '');
    });
  }

  showNewestDetails(): void {
    const session = this.#session;
    if (!openNewestDetails(session.parts.stage)) session.notice('No line here has details.');
  }

  /** This was begun elsewhere, and comes before what the user asks for next. */
  during(work: Promise<unknown>): void {
    this.#order.during(work);
  }

  /** What has begun shows itself, though it goes on. */
  tookEffect(): void {
    this.#order.tookEffect();
  }

  /** What was asked for behind a command that lets the user choose waits for the choice. */
  viewOpened(): void {
    const { stage } = this.#session.parts;
    if (stage.isChoosing && !this.isBusy) for (const draft of this.#order.takeAll()) this.queue(draft);
    this.tookEffect();
  }

  /** A key that acts on the thread: on the one that is there when what came before has taken effect. */
  #press(act: () => Promise<unknown>): void {
    this.#order.press(() => this.#session.guard(act()));
  }

  /** Gives the draft to the thread. The promise is settled when the thread has it, and not when its turn is over. */
  #sent(draft: Draft): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    void this.#session.guard(this.#session.flow.send(draft, resolve)).finally(resolve);
    return promise;
  }

  async #command(name: SlashName, rest: string, draft: Draft): Promise<void> {
    const session = this.#session;
    const { stage } = session.parts;
    // Something may have begun since the user asked for it.
    if (!this.isBusy || findSlash(name)?.whileRunning === true) return session.runSlash(name, rest);
    stage.composer.giveBack(draft);
    stage.popup.closeFor(stage.composer.draft);
    session.notice(commandMustWaitMessage(name, stage.look), 'error');
  }
}

/** Something that the user asked for. Its promise is settled when it has taken effect. */
type Act = () => Promise<unknown>;

interface LaterAct {
  readonly act: Act;
  /** What it would be in the composer. Absent: a key, which leaves nothing there. */
  readonly draft?: Draft;
}

/**
 * What the user asks for, in that order. A command may have to be loaded, and a picture to be read: what the user asks
 * for meanwhile begins when that has taken effect, and can be taken back until then.
 */
export class UserActQueue {
  /** There are more or fewer that wait. */
  readonly #changed: () => void;
  readonly #begun = new Set<Act>();
  #later: readonly LaterAct[] = [];

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get later(): readonly Draft[] {
    return this.#later.flatMap(({ draft }) => draft ?? []);
  }

  /** Something that the user asked for has not taken effect yet. */
  get isActing(): boolean {
    return this.#begun.size + this.#later.length > 0;
  }

  /** Now, or as soon as what came before has taken effect. */
  do(draft: Draft, act: Act): void {
    this.#add({ act, draft });
  }

  /** The same for a key. It cannot be taken back. */
  press(act: Act): void {
    this.#add({ act });
  }

  /** This was begun elsewhere, and comes before what the user asks for next. */
  during(work: Promise<unknown>): void {
    this.#begin(() => work);
  }

  /** What has begun shows itself, though it goes on: what the user asks for from now on is about that. */
  tookEffect(): void {
    if (this.#begun.size === 0) return;
    this.#begun.clear();
    // The caller has not finished its step yet.
    queueMicrotask(() => this.#next());
  }

  /** The newest of those that wait, which waits no more. */
  takeLast(): Draft | undefined {
    const last = this.#later.findLast(({ draft }) => draft !== undefined);
    this.#later = this.#later.filter((each) => each !== last);
    return last?.draft;
  }

  /** All of them. */
  takeAll(): readonly Draft[] {
    const drafts = this.later;
    this.#later = this.#later.filter(({ draft }) => draft === undefined);
    return drafts;
  }

  #add(later: LaterAct): void {
    if (this.#begun.size === 0) return this.#begin(later.act);
    this.#later = [...this.#later, later];
    this.#changed();
  }

  #next(): void {
    const [first, ...others] = this.#later;
    if (this.#begun.size > 0 || first === undefined) return;
    this.#later = others;
    this.#begin(first.act);
    this.#changed();
  }

  #begin(act: Act): void {
    // Known before it is called: it may take effect at once.
    this.#begun.add(act);
    const over = (): void => {
      if (this.#begun.delete(act)) this.#next();
    };
    void act().then(over, over);
  }
}
