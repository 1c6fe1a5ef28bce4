import { Editor } from '../composer/editor.ts';
import type { TerminalInput } from '../screen/terminal-input.ts';
import { cleanLine } from '../text/clean.ts';
import { columnsOf } from '../../../base/columns.ts';
import { plain, type Row } from '../text/style.ts';

const prompt = '  > ';

/** One line that is typed inside a view. */
export class NoteLine {
  readonly #editor = new Editor(columnsOf);

  get text(): string {
    return this.#editor.draft.text.trim();
  }

  row(): Row {
    return [plain(prompt), plain(cleanLine(this.#editor.draft.text))];
  }

  column(width: number): number {
    const { text, cursor } = this.#editor.draft;
    return Math.max(0, Math.min(width - 1, prompt.length + columnsOf(text.slice(0, cursor))));
  }

  clear(): void {
    this.#editor.clear();
  }

  input(input: TerminalInput): void {
    if (input.kind === 'paste') this.#editor.paste(input.text);
    if (input.kind !== 'key') return;
    if (input.text === '') this.#editor.press(input.name, 1000);
    else this.#editor.typeKey(input.text);
  }
}
