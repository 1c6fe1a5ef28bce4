import { findSlash, readSlash, type SlashName } from '../views/slash-table.ts';
import { type Draft, draftOf } from '../composer/draft.ts';
import { expandDraft, isShellDraft } from '../composer/whole-draft.ts';
import type { KeyPress, TerminalInput } from '../screen/terminal-input.ts';
import type { Conversation } from './conversation.ts';
import { BoundKeys } from './bound-keys.ts';
import { DraftKeys } from './draft-keys.ts';
import type { TuiStage } from './stage.ts';

/** A longer message is refused, and stays in the composer. */
const mostCharacters = 1_048_576;

export interface ControllerParts {
  readonly stage: TuiStage;
  /** Undefined while the engine is loading. */
  conversation(): Conversation | undefined;
  /** Whether the terminal is known to mark what is pasted. */
  marksPastes(): boolean;
  notice(text: string, level: 'info' | 'error'): void;
  suspend(): void;
  editOutside(): void;
  showHelp(): void;
  quit(): void;
}

/** What keys do. */
export class Controller {
  readonly #parts: ControllerParts;
  readonly #ofDraft: DraftKeys;
  readonly #bound: BoundKeys;
  /** Messages that were sent before the engine was there. */
  readonly #early: Draft[] = [];

  constructor(parts: ControllerParts) {
    this.#parts = parts;
    this.#bound = new BoundKeys(parts.stage);
    this.#ofDraft = new DraftKeys({ ...parts, doors: () => parts.conversation()?.doors });
  }

  /** The engine is there: what was sent before is sent now. */
  ready(conversation: Conversation): void {
    this.#parts.stage.composer.history.attach(conversation.doors.earlier);
    for (const draft of this.#early.splice(0)) this.#dispatch(draft, conversation);
    this.#parts.stage.waiting = { steers: [], queued: [] };
  }

  input(input: TerminalInput): void {
    const { stage } = this.#parts;
    if (input.kind === 'background') {
      const [red, green, blue] = input.rgb;
      const isLight = 0.299 * red + 0.587 * green + 0.114 * blue > 128;
      stage.changeLook({ palette: isLight ? 'light' : 'dark' });
      return;
    }
    if (input.kind === 'focus') return;
    if (input.kind === 'key' && input.name === 'ctrl+z') return this.#parts.suspend();
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
    this.#parts.stage.draw();
  }

  /** A list for the draft is open. */
  get #isListed(): boolean {
    const { composer, popup } = this.#parts.stage;
    return this.#ofDraft.isListed || (!composer.isRecalled && popup.chosen(composer.draft) !== undefined);
  }

  /** In insert mode an open list comes first: Esc closes it. */
  #ofVim(key: TerminalInput): boolean {
    const { composer } = this.#parts.stage;
    if (key.kind !== 'key' || composer.vim === undefined || this.#ofDraft.isSearching) return false;
    if (composer.vim.mode === 'insert' && this.#isListed) return false;
    const isTaken = composer.vimInput(key);
    if (isTaken) this.#parts.conversation()?.typed();
    return isTaken;
  }

  #ofComposer(input: TerminalInput): void {
    const { stage } = this.#parts;
    if (input.kind === 'wheel') return stage.scroll(input.direction === 'up' ? 3 : -3);
    if (this.#ofDraft.input(input)) return;
    if (input.kind === 'key' && (this.#ofPopup(input) || this.#ofTerminal(input))) return;
    this.#parts.conversation()?.typed();
    stage.composer.input(input);
  }

  /** Keys of the list of commands, while it is there. */
  #ofPopup({ name }: KeyPress): boolean {
    const { composer, popup } = this.#parts.stage;
    const chosen = composer.isRecalled ? undefined : popup.chosen(composer.draft);
    if (chosen === undefined) return false;
    if (name === 'up' || name === 'ctrl+p') popup.move(composer.draft, -1);
    else if (name === 'down' || name === 'ctrl+n') popup.move(composer.draft, 1);
    else if (name === 'escape') popup.close();
    else if (name === 'tab' || name === '/') composer.draft = draftOf(`/${chosen.name} `);
    else if (name === 'enter') {
      composer.draft = draftOf(`/${chosen.name}`);
      this.#submit('send');
    } else return false;
    return true;
  }

  #ofTerminal({ name }: KeyPress): boolean {
    const { stage, conversation: current, quit, editOutside, showHelp } = this.#parts;
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
        else if (conversation?.isBusy === true) conversation.interrupt();
        return true;
      case 'ctrl+c':
        if (!composer.isEmpty) composer.drop();
        else if (conversation?.isBusy === true) conversation.interrupt();
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
      case 'shift+tab':
        conversation?.cycleMode();
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
    if (words === '') return;
    if (words.length > mostCharacters && [...words].length > mostCharacters) {
      notice(
        `The message has more than ${mostCharacters.toLocaleString('en')} characters. Shorten it, or put it in a file.`,
        'error',
      );
      return;
    }
    stage.scrollToEnd();
    const conversation = current();
    if (conversation === undefined) {
      this.#early.push(composer.take());
      stage.waiting = { steers: [], queued: this.#early.map(({ text }) => text) };
      return;
    }
    if (how === 'queue' && conversation.isBusy && !composer.isShell) return conversation.queue(composer.take());
    const slash = readSlash(words);
    const command = slash === undefined ? undefined : findSlash(slash.name);
    if (slash !== undefined && command === undefined) {
      notice(
        `There is no command /${slash.name}. Type / for the list, or put a space before it to send it to the model.`,
        'info',
      );
      return;
    }
    if (command !== undefined && !command.whileRunning && conversation.isBusy) {
      notice(`/${command.name} has to wait until the turn ends. Esc interrupts the turn.`, 'error');
      composer.take();
      return;
    }
    this.#dispatch(composer.take(), conversation);
  }

  /** Sends what a draft says to where it belongs. */
  #dispatch(draft: Draft, conversation: Conversation): void {
    const words = expandDraft(draft);
    const slash = readSlash(words);
    const command = slash === undefined ? undefined : findSlash(slash.name);
    if (isShellDraft(draft)) conversation.shell(words.slice(1).trim());
    else if (slash !== undefined && command !== undefined) conversation.slash(command.name as SlashName, slash.rest);
    else conversation.send(draft);
  }
}
