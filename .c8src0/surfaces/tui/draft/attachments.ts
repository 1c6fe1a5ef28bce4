import { countColumns } from '../../../base/text-columns.ts';
import { outcomeText } from '../../../protocol/outcome.ts';
import { hintKeyMapper } from '../screen/keys/key-map.ts';
import type { TerminalInput } from '../screen/terminal/terminal-port.ts';
import { cleanText, withoutTabs } from '../screen/text/clean-text.ts';
import { drawCutRow, drawRow } from '../screen/text/draw-row.ts';
import type { Look } from '../screen/text/look.ts';
import { boldStyle, dimStyle, plain, styled } from '../screen/text/style.ts';
import type { Frame, View } from '../screen/view.ts';
import { hasImageName, insertPath, insertPicture } from './draft-elements.ts';
import type { DraftKeysParts } from './draft-keys.ts';
import { cursorRowAndColumn, draftRows } from './draft-layout.ts';
import { modelTakesNoPictures } from './draft-message.ts';
import type { DraftServices } from './draft-services.ts';
import { draftFromText, withCursor } from './draft.ts';
import { Editor } from './editor.ts';
import { pastedPath, pathPlatform, cleanPastedText } from './pasted-text.ts';

export type PasteViewOptions = { readonly title: string; readonly text: string; close(text: string | undefined): void };

export class PasteView implements View {
  readonly keys = 'editor';
  readonly #options: PasteViewOptions;
  readonly #editor = new Editor(countColumns);
  #width = 80;
  #page = 1;

  constructor(options: PasteViewOptions) {
    this.#options = options;
    this.#editor.show(withCursor(draftFromText(options.text), 0));
  }

  frame(look: Look, height: number): Frame {
    const { draft } = this.#editor;
    this.#width = Math.max(1, look.width - 3);
    this.#page = Math.max(1, height - 2);
    const rows = draftRows(draft.text, this.#width, countColumns);
    const place = cursorRowAndColumn(draft, rows, countColumns);
    const from = Math.max(0, Math.min(place.row - Math.floor(this.#page / 2), rows.length - this.#page));
    const shown = rows.slice(from, from + this.#page).map(({ start, end }) => {
      const line = cleanText(draft.text.slice(start, end)).replaceAll('\n', ' ');
      return drawRow([plain(`  ${withoutTabs(line, 4)}`)], look);
    });
    const blanks = Array.from({ length: Math.max(0, this.#page - shown.length) }, () => '');
    const row = (text: string, style: typeof boldStyle): string => drawCutRow([styled(`  ${text}`, style)], look);
    return {
      rows: [
        row(`${this.#options.title}: row ${place.row + 1} of ${rows.length}`, boldStyle),
        ...shown,
        ...blanks,
        row(`${hintKeyMapper(look, this.keys)('Esc')} goes back with your changes, Ctrl+C without them`, dimStyle),
      ],
      cursor: { row: 1 + place.row - from, column: Math.min(look.width - 1, 2 + place.column) },
    };
  }

  input(input: TerminalInput): void {
    if (input.kind === 'paste') return this.#editor.type(cleanPastedText(input.text));
    if (input.kind === 'wheel') return this.#rows(input.direction === 'up' ? 'up' : 'down', 3);
    if (input.kind !== 'key') return;
    const { name, text } = input;
    if (name === 'escape') return this.#options.close(this.#editor.draft.text);
    if (name === 'ctrl+c') return this.#options.close(undefined);
    if (name === 'enter') return this.#editor.type('\n');
    if (name === 'pageup' || name === 'pagedown') return this.#rows(name === 'pageup' ? 'up' : 'down', this.#page);
    if (text !== '') this.#editor.typeKey(text);
    else this.#editor.press(name, this.#width);
  }

  #rows(name: 'up' | 'down', count: number): void {
    for (let at = 0; at < count; at++) this.#editor.press(name, this.#width);
  }
}

/** Ctrl+V: attaches the picture in the clipboard to the draft, or shows the reason why not. */
export async function attachFromClipboard({ stage, notice }: DraftKeysParts, doors: DraftServices): Promise<void> {
  if (!doors.takesPictures) return notice(outcomeText(modelTakesNoPictures(doors.model)), 'error');
  const found = await doors.clipboard();
  if ('code' in found) return notice(outcomeText(found), 'error');
  const { composer } = stage;
  if (found.kind === 'picture') composer.draft = insertPicture(composer.draft, found.dataUrl);
  for (const named of found.kind === 'files' ? found.paths : []) {
    // The Windows clipboard holds Windows paths.
    const path = /^[A-Za-z]:\\/.test(named) ? (pastedPath(named, pathPlatform(process.env)) ?? named) : named;
    composer.draft = hasImageName(path) ? insertPicture(composer.draft, path) : insertPath(composer.draft, path);
  }
  stage.draw();
}
