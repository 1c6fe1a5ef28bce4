import { hintKeyMapper } from '../screen/keys/key-map.ts';
import { type DraftElement, emptyDraft } from './draft.ts';
import { insertPastedPicture, replacePastedText } from './pasted-text.ts';
import type { ReverseSearch } from './reverse-search.ts';
import type { KeyPress, TerminalInput } from '../screen/terminal/terminal-port.ts';
import { drawCutRow } from '../screen/text/draw-row.ts';
import type { Look } from '../screen/text/look.ts';
import { dimStyle, styled } from '../screen/text/style.ts';
import { ArgumentKeys, MentionKeys } from './suggestion-keys.ts';
import type { DraftServices } from './draft-services.ts';
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
    const text = paste.payload.kind === 'paste' ? paste.payload.text : '';
    stage.openPager(new PasteView({ title, text, close }));
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

function pasteHint(look: Look): readonly string[] {
  const words = `  ${hintKeyMapper(look, 'composer')('Enter')} opens the paste, to read and change it`;
  return [drawCutRow([styled(words, dimStyle)], look)];
}
