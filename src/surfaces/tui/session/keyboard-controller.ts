import { isBlankText } from '../../../base/invisible-characters.ts';
import { formatCount } from '../../../engine/wording.ts';
import type { SlashCommand } from '../commands/slash-commands.ts';
import { DraftKeys } from '../draft/draft-keys.ts';
import { commandMustWaitMessage, parseDraft, trimDraft } from '../draft/draft-message.ts';
import { type Draft, draftFromText } from '../draft/draft.ts';
import { PasteDetectingKeys } from '../draft/paste-detection.ts';
import type { UserActions } from '../flow/user-acts.ts';
import { keyTable } from '../pages/list-parts.ts';
import { noneWaiting } from '../screen/bottom-frame.ts';
import { ChordKeys, defaultKeyMap, hintKeyMapper, pendingMs } from '../screen/keys/key-map.ts';
import type { KeyGroup, KeyMap } from '../screen/keys/key-map.ts';
import type { KeyPress, TerminalInput } from '../screen/terminal/terminal-port.ts';
import type { TuiScreen } from '../screen/tui-screen.ts';
import type { TerminalContext } from './terminal-context.ts';

/** A longer message is refused, and stays in the composer. */
const mostCharacters = 1_048_576;
const tooLong = `The message has more than ${formatCount(mostCharacters)} characters. Shorten it, or put it in a file.`;
/** List actions that work on lists for a draft. All other keys edit the draft while such a list is open. */
const ofDraftLists = new Set(['move_up', 'move_down', 'accept', 'cancel']);

export interface KeyboardControllerParts {
  readonly stage: TuiScreen;
  readonly surroundings: TerminalContext;
  conversation(): UserActions | undefined;
  /** False: an unsaved conversation has no earlier messages to rewind to. */
  readonly canRewind?: false;
  notice(text: string, level: 'info' | 'error'): void;
  suspend(): void;
  editOutside(): void;
  showHelp(): void;
  quit(): void;
}

export class KeyboardController {
  readonly #parts: KeyboardControllerParts;
  readonly #stage: TuiScreen;
  readonly #ofDraft: DraftKeys;
  readonly #chords: ChordKeys;
  #chordTimer: NodeJS.Timeout | undefined;
  readonly #bursts: PasteDetectingKeys;
  /** Messages sent before the engine was loaded. */
  readonly #early: Draft[] = [];
  /** The last key, if it acts when pressed twice, and the placeholder of the empty composer before it. */
  #first: { readonly key: string; readonly placeholder: string } | undefined;
  /** Keys that act while the composer has the keyboard. False if the composer is to get the key after all. */
  readonly #keys = keyTable<(conversation: UserActions | undefined) => boolean | void>({
    enter: () => this.#submit('send'),
    tab: () => this.#submit('queue'),
    escape: (conversation) => this.#escape(conversation),
    'ctrl+c': (conversation) => this.#interrupt(conversation),
    'ctrl+d': () => this.#ifEmpty(() => this.#parts.quit()),
    'ctrl+g': () => this.#parts.editOutside(),
    'ctrl+l': () => this.#stage.resized(),
    '?': () => this.#ifEmpty(() => this.#parts.showHelp()),
    r: (conversation) => conversation?.canRetry === true && this.#ifEmpty(() => conversation.retry()),
    'alt+t': () => {
      const { plan } = this.#stage;
      if (plan !== undefined) this.#stage.plan = { ...plan, isFolded: !plan.isFolded };
    },
    'alt+up shift+left': (conversation) => {
      const draft = conversation?.takeQueued();
      if (draft !== undefined) this.#stage.composer.giveBack(draft);
      return draft !== undefined;
    },
    'alt+left': (conversation) => this.#ifEmpty(() => conversation?.stepAgent(-1)),
    'alt+right': (conversation) => this.#ifEmpty(() => conversation?.stepAgent(1)),
    pageup: () => this.#scrollPage(1),
    pagedown: () => this.#scrollPage(-1),
    'ctrl+t': (conversation) => conversation?.showTranscript(),
    'alt+o': (conversation) => conversation?.showNewestDetails(),
    'ctrl+o': (conversation) => conversation?.slash('copy', 'answer'),
    'shift+tab': (conversation) => conversation?.cycleMode(),
    'alt+p': (conversation) => conversation?.cyclePermissions(),
    'alt+,': (conversation) => conversation?.stepEffort(-1),
    'alt+.': (conversation) => conversation?.stepEffort(1),
    toggle_vim_mode: (conversation) => conversation?.slash('vim', ''),
  });

  constructor(parts: KeyboardControllerParts) {
    this.#parts = parts;
    this.#stage = parts.stage;
    this.#chords = new ChordKeys(() => parts.stage.look.now);
    this.#ofDraft = new DraftKeys({ ...parts, doors: () => parts.conversation()?.doors });
    const { stage, surroundings, conversation } = parts;
    this.#bursts = new PasteDetectingKeys({
      stage,
      isOn: () => !surroundings.marksPastes && conversation()?.doors.detectsPastes !== false,
      isElsewhere: () => this.#ofDraft.isSearching,
      pass: (key) => {
        this.#meant(key);
        this.#shown();
      },
    });
  }

  ready(conversation: UserActions): void {
    this.#stage.composer.history.attach(conversation.doors.earlier);
    if (this.#early.length > 0) this.#stage.waiting = noneWaiting;
    for (const draft of this.#early.splice(0)) this.#dispatch(draft, conversation);
  }

  input(input: TerminalInput): void {
    const inner = this.#stage.pager?.hasController === true ? this.#stage.pager : undefined;
    if (inner === undefined && this.#parts.surroundings.input(input)) return;
    if (input.kind === 'key' && input.name === 'ctrl+z') return this.#parts.suspend();
    if (inner !== undefined) {
      inner.input(input);
      return this.#shown();
    }
    if (input.kind === 'paste' && input.isCut === true) {
      const kept = `Capstan keeps its first ${formatCount(input.text.length)} characters`;
      this.#parts.notice(`The paste is too long: ${kept}. Put it in a file, and name the file.`, 'error');
    }
    const top = this.#stage.pager ?? this.#stage.view;
    // Vim gets the second key of a chord only if the two keys form no chord.
    const isChord = this.#stage.pendingKey !== undefined;
    if (top === undefined && !isChord && this.#ofVim(input)) return this.#shown();
    const meant = this.#bound(input, this.#isListed);
    if (meant === undefined) return;
    if (top === undefined && isChord && meant === input && this.#ofVim(input)) return this.#shown();
    if (top === undefined) this.#ofComposer(meant);
    else top.input(meant);
    this.#shown();
  }

  /** Maps a key by the user's bindings. Undefined if the next key decides. `isListed`: a list for the draft is open. */
  #bound(input: TerminalInput, isListed: boolean): TerminalInput | undefined {
    if (input.kind !== 'key') return input;
    const { pager, view, look } = this.#stage;
    const top = pager ?? view;
    const { keys = defaultKeyMap } = look;
    const ofDraft = isListed ? listGroup(keys, input) : 'composer';
    const group = top === undefined ? ofDraft : (top.keys ?? (pager === undefined ? 'list' : 'pager'));
    if (group === 'raw') return input;
    // Input typed into a field is no command.
    if (top !== undefined && input.text !== '' && (top.takesText === true || group === 'editor')) return input;
    const meant = this.#chords.press(keys, group, input);
    this.#showPending();
    return meant;
  }

  #showPending(): void {
    clearTimeout(this.#chordTimer);
    const { pending } = this.#chords;
    this.#stage.pendingKey = pending;
    if (pending === undefined) return;
    this.#chordTimer = setTimeout(() => {
      this.#stage.pendingKey = undefined;
      this.#stage.draw();
    }, pendingMs);
    this.#stage.draw();
  }

  #shown(): void {
    this.#ofDraft.update();
    this.#stage.drawKey();
  }

  get #isListed(): boolean {
    return this.#ofDraft.isListed || this.#listed !== undefined;
  }

  /** The selected entry of the command list, while it is drawn. */
  get #listed(): SlashCommand | undefined {
    const { composer, popup, hasListRoom } = this.#stage;
    return composer.isRecalled || !hasListRoom ? undefined : popup.chosen(composer.draft);
  }

  /** Gives a key to Vim. In insert mode an open list gets it first: Esc closes the list. */
  #ofVim(key: TerminalInput): boolean {
    const { composer } = this.#stage;
    if (key.kind !== 'key' || composer.vim === undefined || this.#ofDraft.isSearching) return false;
    if (composer.vim.mode === 'insert' && this.#isListed) return false;
    return composer.vimInput(key);
  }

  #ofComposer(input: TerminalInput): void {
    if (input.kind === 'wheel') return this.#stage.scroll(input.direction === 'up' ? 3 : -3);
    if (input.kind !== 'key' || input.name !== 'escape') this.#forgetFirst();
    if (!this.#bursts.input(input)) this.#meant(input);
  }

  /** Handles input that is not part of a paste. */
  #meant(input: TerminalInput): void {
    if (this.#ofDraft.input(input)) return;
    if (input.kind === 'key' && (this.#ofPopup(input) || this.#ofTerminal(input))) return;
    this.#stage.composer.input(input);
  }

  #ofPopup({ name }: KeyPress): boolean {
    const { composer, popup } = this.#stage;
    const chosen = this.#listed;
    if (chosen === undefined) return false;
    if (name === 'up' || name === 'ctrl+p') popup.move(composer.draft, -1);
    else if (name === 'down' || name === 'ctrl+n') popup.move(composer.draft, 1);
    else if (name === 'escape') popup.closeFor(composer.draft);
    else if (name === 'tab') composer.draft = draftFromText(`/${chosen.name} `);
    else if (name === 'enter') {
      composer.draft = draftFromText(`/${chosen.name}`);
      this.#submit('send');
    } else return false;
    return true;
  }

  #ofTerminal({ name }: KeyPress): boolean {
    const act = this.#keys.get(name);
    return act !== undefined && act(this.#parts.conversation()) !== false;
  }

  #ifEmpty(act: () => void): boolean {
    const { isEmpty } = this.#stage.composer;
    if (isEmpty) act();
    return isEmpty;
  }

  #scrollPage(by: 1 | -1): boolean {
    this.#stage.scroll(by * this.#stage.page);
    return this.#stage.isFull;
  }

  #escape(conversation: UserActions | undefined): void {
    const { composer } = this.#stage;
    if (composer.isShell && composer.draft.text === '!') composer.draft = draftFromText('');
    else if (conversation?.canInterrupt === true)
      conversation.interrupt(composer.isEmpty ? 'send-steers' : 'give-back');
    else if (composer.isEmpty && this.#parts.canRewind !== false) {
      if (this.#isSecond('Esc', 'go back to an earlier message')) conversation?.slash('rewind', '');
    }
  }

  #interrupt(conversation: UserActions | undefined): void {
    const { stage, surroundings, quit } = this.#parts;
    if (!stage.composer.isEmpty) stage.composer.drop();
    else if (conversation?.canInterrupt === true) conversation.interrupt('give-back');
    // The key was meant for work that has just ended.
    else if (surroundings.pause.isJustOver(stage.idleSince)) this.#isSecond('Ctrl+C', 'leave');
    else quit();
  }

  /** False for the first press of the key: the empty composer says what a second one does. Any other key ends that. */
  #isSecond(key: 'Esc' | 'Ctrl+C', does: string): boolean {
    const isSecond = this.#first?.key === key;
    this.#forgetFirst();
    if (isSecond) return true;
    this.#first = { key, placeholder: this.#stage.placeholder };
    this.#stage.placeholder = `${hintKeyMapper(this.#stage.look, 'composer')(key)} again: ${does}`;
    return false;
  }

  #forgetFirst(): void {
    if (this.#first !== undefined) this.#stage.placeholder = this.#first.placeholder;
    this.#first = undefined;
  }

  #submit(how: 'send' | 'queue'): void {
    const { stage, conversation: current, notice } = this.#parts;
    const { composer } = stage;
    const { words } = composer;
    if (composer.isEmpty) return;
    if (isBlankText(words)) {
      // Invisible blanks would turn the next command into a message.
      composer.draft = draftFromText('');
      return notice('The message is blank, so it was not sent.', 'info');
    }
    if (words.length > mostCharacters && [...words].length > mostCharacters) return notice(tooLong, 'error');
    stage.scrollToEnd();
    const conversation = current();
    if (conversation === undefined) {
      this.#early.push(composer.take());
      return void (stage.waiting = { ...noneWaiting, queued: this.#early.map(({ text }) => text) });
    }
    if (how === 'queue' && composer.isShell && !conversation.isBusy) return;
    if (how === 'queue' && conversation.isBusy) return conversation.queue(composer.take());
    const meant = parseDraft(trimDraft(composer.draft));
    if (meant.kind === 'refused') return notice(meant.why, 'info');
    if (meant.kind === 'slash' && meant.command.waits === true && conversation.isBusy) {
      // The keys that the notice names must not go to the list.
      stage.popup.closeFor(composer.draft);
      return notice(commandMustWaitMessage(meant.command.name, stage.look), 'error');
    }
    this.#dispatch(composer.take(), conversation);
  }

  #dispatch(draft: Draft, conversation: UserActions): void {
    const meant = parseDraft(draft);
    if (meant.kind === 'shell') conversation.shell(meant.command);
    else if (meant.kind === 'slash') conversation.slash(meant.command.name, meant.rest);
    else if (meant.kind === 'message') conversation.send(meant.draft);
    else {
      this.#stage.composer.giveBack(draft);
      this.#parts.notice(meant.why, 'info');
    }
  }
}

/** While a list for the draft is open, list keys come first. Character keys go into the draft. */
function listGroup(keys: KeyMap, { name, text }: KeyPress): KeyGroup {
  const action = keys.byKey.list.get(name);
  const isOfList = action !== undefined && ofDraftLists.has(action.name) && action.more?.includes(name) !== true;
  return text === '' && isOfList ? 'list' : 'composer';
}
