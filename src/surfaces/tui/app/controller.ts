import { count } from '../../wording/number-words.ts';
import { isBlankText } from '../../../base/invisible.ts';
import { type Draft, draftOf } from '../composer/draft.ts';
import { trimDraft } from '../composer/whole-draft.ts';
import { hintKeys } from '../keys/hint-keys.ts';
import type { KeyPress, TerminalInput } from '../screen/terminal-input.ts';
import { noneWaiting } from './bottom-rows.ts';
import type { Conversation } from './conversation.ts';
import type { SlashCommand } from '../views/slash-table.ts';
import { BoundKeys } from './bound-keys.ts';
import { BurstKeys } from './burst-keys.ts';
import { DraftKeys } from './draft-keys.ts';
import { mustWait, readDraft } from './read-draft.ts';
import type { TuiStage } from './stage.ts';
import type { Surroundings } from './surroundings.ts';

/** A longer message is refused, and stays in the composer. */
const mostCharacters = 1_048_576;

export interface ControllerParts {
  readonly stage: TuiStage;
  readonly surroundings: Surroundings;
  /** Undefined while the engine is loading. */
  conversation(): Conversation | undefined;
  /** False: the conversation is not kept, and has no earlier messages to go back to. */
  readonly canRewind?: false;
  notice(text: string, level: 'info' | 'error'): void;
  suspend(): void;
  editOutside(): void;
  showHelp(): void;
  quit(): void;
}

function pasteCut(kept: number): string {
  return `The paste is too long: Capstan keeps its first ${count(kept)} characters. Put it in a file, and name the file.`;
}

/** What keys do. */
export class Controller {
  readonly #parts: ControllerParts;
  readonly #ofDraft: DraftKeys;
  readonly #bound: BoundKeys;
  readonly #bursts: BurstKeys;
  /** Messages that were sent before the engine was there. */
  readonly #early: Draft[] = [];
  readonly #again: PressedAgain;

  constructor(parts: ControllerParts) {
    this.#parts = parts;
    this.#bound = new BoundKeys(parts.stage);
    this.#ofDraft = new DraftKeys({ ...parts, doors: () => parts.conversation()?.doors });
    this.#again = new PressedAgain(parts.stage);
    const { stage, surroundings, conversation } = parts;
    this.#bursts = new BurstKeys({
      stage,
      isOn: () => !surroundings.marksPastes && conversation()?.doors.detectsPastes !== false,
      isElsewhere: () => this.#ofDraft.isSearching,
      pass: (key) => {
        this.#meant(key);
        this.#shown();
      },
    });
  }

  /** The engine is there: what was sent before is sent now. */
  ready(conversation: Conversation): void {
    this.#parts.stage.composer.history.attach(conversation.doors.earlier);
    if (this.#early.length > 0) this.#parts.stage.waiting = noneWaiting;
    for (const draft of this.#early.splice(0)) this.#dispatch(draft, conversation);
  }

  input(input: TerminalInput): void {
    const { stage } = this.#parts;
    const inner = stage.pager?.hasController === true ? stage.pager : undefined;
    if (inner === undefined && this.#parts.surroundings.input(input)) return;
    if (input.kind === 'key' && input.name === 'ctrl+z') return this.#parts.suspend();
    if (inner !== undefined) {
      inner.input(input);
      return this.#shown();
    }
    if (input.kind === 'paste' && input.isCut === true) this.#parts.notice(pasteCut(input.text.length), 'error');
    const top = stage.pager ?? stage.view;
    // The second key of a chord is no command of Vim, unless the two make none.
    const isChord = stage.pendingKey !== undefined;
    if (top === undefined && !isChord && this.#ofVim(input)) return this.#shown();
    const meant = this.#bound.read(input, this.#isListed);
    if (meant === undefined) return;
    if (top === undefined && isChord && meant === input && this.#ofVim(input)) return this.#shown();
    if (top === undefined) this.#ofComposer(meant);
    else top.input(meant);
    this.#shown();
  }

  #shown(): void {
    this.#ofDraft.update();
    this.#parts.stage.drawKey();
  }

  /** A list for the draft is open. */
  get #isListed(): boolean {
    return this.#ofDraft.isListed || this.#listed !== undefined;
  }

  /** The chosen one of the list of commands, while it is drawn. */
  get #listed(): SlashCommand | undefined {
    const { composer, popup, hasListRoom } = this.#parts.stage;
    return composer.isRecalled || !hasListRoom ? undefined : popup.chosen(composer.draft);
  }

  /** In insert mode an open list comes first: Esc closes it. */
  #ofVim(key: TerminalInput): boolean {
    const { composer } = this.#parts.stage;
    if (key.kind !== 'key' || composer.vim === undefined || this.#ofDraft.isSearching) return false;
    if (composer.vim.mode === 'insert' && this.#isListed) return false;
    return composer.vimInput(key);
  }

  #ofComposer(input: TerminalInput): void {
    const { stage } = this.#parts;
    if (input.kind === 'wheel') return stage.scroll(input.direction === 'up' ? 3 : -3);
    if (input.kind !== 'key' || input.name !== 'escape') this.#again.reset();
    if (!this.#bursts.input(input)) this.#meant(input);
  }

  /** What no paste is made of. */
  #meant(input: TerminalInput): void {
    const { stage } = this.#parts;
    if (this.#ofDraft.input(input)) return;
    if (input.kind === 'key' && (this.#ofPopup(input) || this.#ofTerminal(input))) return;
    stage.composer.input(input);
  }

  /** Keys of the list of commands, while it is there. */
  #ofPopup({ name }: KeyPress): boolean {
    const { composer, popup } = this.#parts.stage;
    const chosen = this.#listed;
    if (chosen === undefined) return false;
    if (name === 'up' || name === 'ctrl+p') popup.move(composer.draft, -1);
    else if (name === 'down' || name === 'ctrl+n') popup.move(composer.draft, 1);
    else if (name === 'escape') popup.closeFor(composer.draft);
    else if (name === 'tab') composer.draft = draftOf(`/${chosen.name} `);
    else if (name === 'enter') {
      composer.draft = draftOf(`/${chosen.name}`);
      this.#submit('send');
    } else return false;
    return true;
  }

  #ofTerminal({ name }: KeyPress): boolean {
    const { stage, surroundings, conversation: current, quit, editOutside, showHelp } = this.#parts;
    const { composer } = stage;
    const conversation = current();
    switch (name) {
      case 'enter':
        this.#submit('send');
        return true;
      case 'tab':
        this.#submit('queue');
        return true;
      case 'escape':
        if (composer.isShell && composer.draft.text === '!') composer.draft = draftOf('');
        else if (conversation?.canInterrupt === true)
          conversation.interrupt(composer.isEmpty ? 'send-steers' : 'give-back');
        else if (composer.isEmpty && this.#parts.canRewind !== false) {
          if (this.#again.pressed('Esc', 'go back to an earlier message')) conversation?.slash('rewind', '');
        }
        return true;
      case 'ctrl+c':
        if (!composer.isEmpty) composer.drop();
        else if (conversation?.canInterrupt === true) conversation.interrupt('give-back');
        // Meant for what ran.
        else if (surroundings.pause.isJustOver(stage.idleSince)) this.#again.pressed('Ctrl+C', 'leave');
        else quit();
        return true;
      case 'ctrl+d':
        if (!composer.isEmpty) return false;
        quit();
        return true;
      case 'ctrl+g':
        editOutside();
        return true;
      case 'ctrl+t':
        conversation?.showTranscript();
        return true;
      case 'alt+o':
        conversation?.showNewestDetails();
        return true;
      case 'ctrl+o':
        conversation?.slash('copy', 'answer');
        return true;
      case 'shift+tab':
        conversation?.cycleMode();
        return true;
      case 'alt+t':
        if (stage.plan !== undefined) stage.plan = { ...stage.plan, isFolded: !stage.plan.isFolded };
        return true;
      case 'alt+p':
        conversation?.cyclePermissions();
        return true;
      case 'r':
        if (!composer.isEmpty || conversation?.canRetry !== true) return false;
        conversation.retry();
        return true;
      case '?':
        if (!composer.isEmpty) return false;
        showHelp();
        return true;
      case 'alt+up':
      case 'shift+left': {
        const draft = conversation?.takeQueued();
        if (draft !== undefined) composer.giveBack(draft);
        return draft !== undefined;
      }
      case 'alt+,':
      case 'alt+.':
        conversation?.stepEffort(name === 'alt+.' ? 1 : -1);
        return true;
      case 'alt+left':
      case 'alt+right':
        if (!composer.isEmpty) return false;
        conversation?.stepAgent(name === 'alt+right' ? 1 : -1);
        return true;
      case 'pageup':
      case 'pagedown':
        stage.scroll(name === 'pageup' ? stage.page : -stage.page);
        return stage.isFull;
      case 'ctrl+l':
        stage.resized();
        return true;
      case 'toggle_vim_mode':
        conversation?.slash('vim', '');
        return true;
      default:
        return false;
    }
  }

  #submit(how: 'send' | 'queue'): void {
    const { stage, conversation: current, notice } = this.#parts;
    const { composer } = stage;
    const { words } = composer;
    if (composer.isEmpty) return;
    if (isBlankText(words)) {
      // Blanks that stay unseen would make the next command a message.
      composer.draft = draftOf('');
      return notice('The message is blank, so it was not sent.', 'info');
    }
    if (words.length > mostCharacters && [...words].length > mostCharacters) {
      notice(
        `The message has more than ${count(mostCharacters)} characters. Shorten it, or put it in a file.`,
        'error',
      );
      return;
    }
    stage.scrollToEnd();
    const conversation = current();
    if (conversation === undefined) {
      this.#early.push(composer.take());
      stage.waiting = { ...noneWaiting, queued: this.#early.map(({ text }) => text) };
      return;
    }
    if (how === 'queue' && composer.isShell && !conversation.isBusy) return;
    if (how === 'queue' && conversation.isBusy) return conversation.queue(composer.take());
    const meant = readDraft(trimDraft(composer.draft));
    if (meant.kind === 'refused') return notice(meant.why, 'info');
    if (meant.kind === 'slash' && !meant.command.whileRunning && conversation.isBusy) {
      // The keys that the notice names are not for the list.
      stage.popup.closeFor(composer.draft);
      return notice(mustWait(meant.command.name, stage.look), 'error');
    }
    this.#dispatch(composer.take(), conversation);
  }

  /** Sends what a draft says to where it belongs. */
  #dispatch(draft: Draft, conversation: Conversation): void {
    const meant = readDraft(draft);
    if (meant.kind === 'shell') conversation.shell(meant.command);
    else if (meant.kind === 'slash') conversation.slash(meant.command.name, meant.rest);
    else if (meant.kind === 'message') conversation.send(meant.draft);
    else {
      this.#parts.stage.composer.giveBack(draft);
      this.#parts.notice(meant.why, 'info');
    }
  }
}

/** Keys that act when pressed twice: the empty composer says so after the first press. Any other key forgets it. */
class PressedAgain {
  readonly #stage: TuiStage;
  #first: { readonly key: string; readonly placeholder: string } | undefined;

  constructor(stage: TuiStage) {
    this.#stage = stage;
  }

  /** True: it is the second time. */
  pressed(key: 'Esc' | 'Ctrl+C', does: string): boolean {
    const isSecond = this.#first?.key === key;
    this.reset();
    if (isSecond) return true;
    this.#first = { key, placeholder: this.#stage.placeholder };
    this.#stage.placeholder = `${hintKeys(this.#stage.look, 'composer')(key)} again: ${does}`;
    return false;
  }

  reset(): void {
    if (this.#first !== undefined) this.#stage.placeholder = this.#first.placeholder;
    this.#first = undefined;
  }
}
