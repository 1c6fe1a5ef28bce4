import { hintKeyMapper } from '../screen/keys/key-map.ts';
import { type Draft, type DraftElement, draftFromText, emptyDraft } from './draft.ts';
import { insertPastedPicture, replacePastedText } from './pasted-text.ts';
import type { ReverseSearch } from './reverse-search.ts';
import type { KeyPress, TerminalInput } from '../screen/terminal/terminal-port.ts';
import { drawCutRow } from '../screen/text/draw-row.ts';
import type { Look } from '../screen/text/look.ts';
import { dimStyle, styled } from '../screen/text/style.ts';
import type { DraftServices } from './draft-services.ts';
import type { ArgumentPopup } from './argument-popup.ts';
import { mentionAt } from './draft-elements.ts';
import type { MentionPopup } from './mention-popup.ts';
import { argumentAtCursor } from '../commands/slash-commands.ts';
import { reportWorkErrors } from '../flow/running-work.ts';
import type { TuiScreen } from '../screen/tui-screen.ts';

export interface DraftKeysParts {
  readonly stage: TuiScreen;
  /** Undefined while the engine is loading. */
  doors(): DraftServices | undefined;
  notice(text: string, level: 'info' | 'error'): void;
}

/** Handles the keys of the lists and views that open for a draft. Loads each of them on first use. */
export class DraftKeys {
  readonly #parts: DraftKeysParts;
  readonly #mentions: MentionKeys;
  readonly #arguments: ArgumentKeys;
  #search: ReverseSearch | 'loading' | undefined;
  readonly #early: TerminalInput[] = [];

  constructor(parts: DraftKeysParts) {
    this.#parts = parts;
    const { stage, doors } = parts;
    const changed = (): void => {
      this.#show();
      stage.draw();
    };
    const list = { stage, doors, changed, run: (work: Promise<unknown>): void => this.#run(work) };
    this.#mentions = new MentionKeys(list);
    this.#arguments = new ArgumentKeys(list);
  }

  get isSearching(): boolean {
    return this.#search !== undefined;
  }
  get isListed(): boolean {
    return this.#list !== undefined;
  }

  /** False if none of these parts uses the input. */
  input(input: TerminalInput): boolean {
    if (this.#search === 'loading') return this.#early.push(input) > 0;
    if (this.#search !== undefined) return this.#search.input(input);
    if (input.kind === 'paste') return this.#pastePicture(input.text);
    if (input.kind !== 'key') return false;
    return this.#mentions.input(input) || this.#arguments.input(input) || this.#opens(input);
  }

  /** Call after the draft may have changed. */
  update(): void {
    if (this.#search !== undefined) return;
    const { composer, hasListRoom } = this.#parts.stage;
    const draft = composer.isRecalled || !hasListRoom ? emptyDraft : composer.draft;
    this.#mentions.update(draft);
    this.#arguments.update(draft);
    this.#show();
  }

  get #list(): { rows(look: Look, room: number): readonly string[] } | undefined {
    return this.#mentions.open ?? this.#arguments.open;
  }

  #opens({ name }: KeyPress): boolean {
    switch (name) {
      case 'ctrl+r':
        this.#run(this.#openSearch());
        return true;
      case 'ctrl+v':
      case 'alt+v':
        this.#run(this.#attach());
        return true;
      case 'enter': {
        // Enter on a paste opens it; after a paste, Enter sends.
        const paste = this.#parts.stage.composer.pasteAtCursor;
        if (paste !== undefined) this.#run(this.#openPaste(paste));
        return paste !== undefined;
      }
      default:
        return false;
    }
  }

  /** Reports errors of the work. */
  #run(work: Promise<unknown>): void {
    void reportWorkErrors(work, (text, level) => this.#parts.notice(text, level));
  }

  async #openSearch(): Promise<void> {
    const { stage } = this.#parts;
    const { composer } = stage;
    this.#search = 'loading';
    const { ReverseSearch } = await import('./reverse-search.ts');
    const close = (): void => {
      this.#search = undefined;
      this.#show();
    };
    this.#search = new ReverseSearch({ composer, changed: () => stage.draw(), close });
    for (const input of this.#early.splice(0)) this.input(input);
    this.#show();
    stage.draw();
  }

  async #openPaste(paste: DraftElement): Promise<void> {
    const { stage } = this.#parts;
    const { composer } = stage;
    const { PasteView } = await import('./attachments.ts');
    const close = (edited: string | undefined): void => {
      stage.openPager(undefined);
      // A draft that came back to the composer may have moved the paste meanwhile.
      const found = composer.draft.elements.find(({ payload }) => payload === paste.payload);
      if (edited !== undefined && found !== undefined)
        composer.draft = replacePastedText(composer.draft, found, edited);
      this.update();
    };
    const title = composer.draft.text.slice(paste.start, paste.end);
    stage.openPager(new PasteView({ title, text: paste.payload.kind === 'paste' ? paste.payload.text : '', close }));
  }

  async #attach(): Promise<void> {
    const doors = this.#parts.doors();
    if (doors === undefined) return;
    const { attachFromClipboard } = await import('./attachments.ts');
    await attachFromClipboard(this.#parts, doors);
    this.update();
  }

  #pastePicture(text: string): boolean {
    const { composer } = this.#parts.stage;
    if (this.#parts.doors()?.takesPictures === false) return false;
    const draft = insertPastedPicture(composer.draft, text, process.env);
    if (draft !== undefined) composer.draft = draft;
    return draft !== undefined;
  }

  #show(): void {
    const { stage } = this.#parts;
    const shown = this.#search === 'loading' ? undefined : (this.#search ?? this.#list);
    const hint = stage.composer.pasteAtCursor === undefined ? undefined : pasteHint;
    stage.under = shown === undefined ? hint : (look, room) => shown.rows(look, room);
  }
}

type ListParts = Pick<DraftKeysParts, 'stage' | 'doors'> & { changed(): void; run(work: Promise<unknown>): void };

/** Handles the keys of a list for the draft. Loads the list when a draft first needs it. */
abstract class ListKeys<List extends ArgumentPopup | MentionPopup> {
  protected readonly parts: ListParts;
  protected list: List | 'loading' | undefined;

  constructor(parts: ListParts) {
    this.parts = parts;
  }

  protected abstract isFor(draft: Draft): boolean;
  protected abstract load(doors: DraftServices): Promise<List>;
  /** Handles a key that neither moves in the open list nor closes it. */
  protected abstract chose(list: List, name: string): boolean;

  get open(): List | undefined {
    return this.list !== 'loading' && this.list?.isOpen === true ? this.list : undefined;
  }

  update(draft: Draft): void {
    if (this.list !== undefined) return this.list === 'loading' ? undefined : this.list.update(draft);
    // Undefined while the engine is loading.
    const doors = this.isFor(draft) ? this.parts.doors() : undefined;
    if (doors !== undefined) this.parts.run(this.#begin(doors));
  }

  /** False: the key is for others. */
  input({ name }: KeyPress): boolean {
    const list = this.open;
    if (list === undefined) return false;
    if (name === 'up' || name === 'ctrl+p') list.move(-1);
    else if (name === 'down' || name === 'ctrl+n') list.move(1);
    else if (name === 'escape') list.close();
    else return this.chose(list, name);
    return true;
  }

  async #begin(doors: DraftServices): Promise<void> {
    this.list = 'loading';
    const list = (this.list = await this.load(doors));
    list.update(this.parts.stage.composer.draft);
    this.parts.changed();
  }
}

class ArgumentKeys extends ListKeys<ArgumentPopup> {
  /** The text of the draft when the user pressed Tab before the values were known. */
  #tabbed: string | undefined;

  /** Remembers an early Tab: it completes once the list is known, so that the command is not sent half typed. */
  override input(key: KeyPress): boolean {
    if (this.open !== undefined) return super.input(key);
    if (key.name !== 'tab' || !this.#isPending) return false;
    this.#tabbed = this.parts.stage.composer.draft.text;
    return true;
  }

  protected override chose(popup: ArgumentPopup, name: string): boolean {
    if (name === 'tab') return this.#write(popup.completed);
    // Enter then sends the draft.
    if (name === 'enter') this.#write(popup.taken);
    return false;
  }

  get #isPending(): boolean {
    return this.list === 'loading' ? this.isFor(this.parts.stage.composer.draft) : this.list?.isPending === true;
  }

  #known(): void {
    const { stage, changed } = this.parts;
    const isMeant = this.#tabbed === stage.composer.draft.text;
    this.#tabbed = undefined;
    if (isMeant && this.#write(this.open?.completed)) this.update(stage.composer.draft);
    changed();
  }

  #write(text: string | undefined): boolean {
    if (text !== undefined) this.parts.stage.composer.draft = draftFromText(text);
    return text !== undefined;
  }

  protected override isFor(draft: Draft): boolean {
    return argumentAtCursor(draft) !== undefined;
  }

  protected override async load(): Promise<ArgumentPopup> {
    const { ArgumentPopup } = await import('./argument-popup.ts');
    return new ArgumentPopup(
      async (asked) => (await this.parts.doors()?.argumentValues(asked)) ?? [],
      () => this.#known(),
    );
  }
}

/** Keys of the list of files and skills. */
class MentionKeys extends ListKeys<MentionPopup> {
  protected override chose(popup: MentionPopup, name: string): boolean {
    if (name === 'left' || name === 'right') return popup.switchFilter(name === 'left' ? -1 : 1);
    const { chosen } = popup;
    const doors = this.parts.doors();
    if ((name !== 'tab' && name !== 'enter') || chosen === undefined || doors === undefined) return false;
    const { composer } = this.parts.stage;
    composer.draft = popup.insert(composer.draft, chosen, doors);
    if (chosen.item.kind === 'file') doors.named(chosen.item.name);
    return true;
  }

  protected override isFor(draft: Draft): boolean {
    return mentionAt(draft) !== undefined;
  }

  protected override async load(doors: DraftServices): Promise<MentionPopup> {
    const { MentionPopup } = await import('./mention-popup.ts');
    return new MentionPopup(doors, this.parts.changed);
  }
}

function pasteHint(look: Look): readonly string[] {
  const words = `  ${hintKeyMapper(look, 'composer')('Enter')} opens the paste, to read and change it`;
  return [drawCutRow([styled(words, dimStyle)], look)];
}
