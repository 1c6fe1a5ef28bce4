import { findSlash, readSlash, type SlashName } from '../views/slash-table.ts';
import { draftOf } from '../composer/draft.ts';
import type { KeyPress, TerminalInput } from '../screen/terminal-input.ts';
import type { Conversation } from './conversation.ts';
import { EscapeTwice } from './escape-twice.ts';
import type { TuiStage } from './stage.ts';

/** A longer message is refused, and stays in the composer. */
const mostCharacters = 1_048_576;

export interface ControllerParts {
  readonly stage: TuiStage;
  /** Undefined while the engine is loading. */
  conversation(): Conversation | undefined;
  notice(text: string, level: 'info' | 'error'): void;
  suspend(): void;
  editOutside(): void;
  showHelp(): void;
  quit(): void;
}

/** What keys do. */
export class Controller {
  readonly #parts: ControllerParts;
  /** Messages that were sent before the engine was there. */
  readonly #early: string[] = [];
  readonly #twice: EscapeTwice;

  constructor(parts: ControllerParts) {
    this.#parts = parts;
    this.#twice = new EscapeTwice(parts.stage);
  }

  /** The engine is there: what was sent before is sent now. */
  ready(conversation: Conversation): void {
    for (const words of this.#early.splice(0)) this.#dispatch(words, conversation);
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
    if (top === undefined) this.#ofComposer(input);
    else top.input(input);
    stage.draw();
  }

  #ofComposer(input: TerminalInput): void {
    const { stage } = this.#parts;
    if (input.kind === 'wheel') return stage.scroll(input.direction === 'up' ? 3 : -3);
    if (input.kind !== 'key' || input.name !== 'escape') this.#twice.reset();
    if (input.kind === 'key' && (this.#ofPopup(input) || this.#ofTerminal(input))) return;
    this.#parts.conversation()?.typed();
    stage.composer.input(input);
  }

  /** Keys of the list of commands, while it is there. */
  #ofPopup({ name }: KeyPress): boolean {
    const { composer, popup } = this.#parts.stage;
    const chosen = popup.chosen(composer.draft);
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
        else if (composer.isEmpty && this.#twice.pressed()) conversation?.slash('rewind', '');
        return true;
      case 'ctrl+c':
        if (!composer.isEmpty) composer.take();
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
      case 'ctrl+o':
        conversation?.slash('copy', 'answer');
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
        const words = conversation?.takeQueued();
        if (words !== undefined) composer.giveBack(words);
        return words !== undefined;
      }
      case 'pageup':
      case 'pagedown':
        stage.scroll(name === 'pageup' ? stage.page : -stage.page);
        return stage.isFull;
      case 'ctrl+l':
        stage.resized();
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
    if (words.length > mostCharacters) {
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
      stage.waiting = { steers: [], queued: this.#early };
      return;
    }
    const isShell = composer.isShell && composer.draft.elements[0]?.start !== 0;
    if (how === 'queue' && conversation.isBusy && !isShell) return conversation.queue(composer.take());
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
    this.#dispatch(composer.take(), conversation, isShell);
  }

  /** Sends what a draft says to where it belongs. */
  #dispatch(words: string, conversation: Conversation, isShell = words.startsWith('!')): void {
    const slash = readSlash(words);
    const command = slash === undefined ? undefined : findSlash(slash.name);
    if (isShell) conversation.shell(words.slice(1).trim());
    else if (slash !== undefined && command !== undefined) conversation.slash(command.name as SlashName, slash.rest);
    else conversation.send(words);
  }
}
