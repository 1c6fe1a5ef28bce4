import { hintKeys } from '../keys/hint-keys.ts';
import type { Frame } from '../screen/frame.ts';
import type { TerminalInput } from '../screen/terminal-input.ts';
import { cutRow } from '../text/cut.ts';
import { drawRow, drawRows } from '../text/draw-row.ts';
import { glyphsOf } from '../text/glyphs.ts';
import type { Look } from '../text/look.ts';
import { accentStyle, boldStyle, dimStyle, plain, type Row, styled } from '../text/style.ts';
import { type FilesAhead, rewindRows } from './rewind-rows.ts';
import type { View } from './view.ts';

/** What goes back. */
export type RewindPart = 'both' | 'conversation' | 'files';

export interface RewindOptions {
  readonly prompt: string;
  readonly files: FilesAhead;
  pick(part: RewindPart): void;
  close(): void;
}

const parts: readonly { readonly part: RewindPart; readonly label: string; readonly about: string }[] = [
  { part: 'both', label: 'conversation and files', about: 'the message comes back' },
  { part: 'conversation', label: 'conversation only', about: 'files stay as they are now' },
  { part: 'files', label: 'files only', about: 'the conversation goes on' },
];

/** Shows what going back would do, and lets the user choose how far. */
export class RewindView implements View {
  readonly #options: RewindOptions;
  #at = 0;
  #from = 0;
  #room = 1;

  constructor(options: RewindOptions) {
    this.#options = options;
  }

  get #parts(): typeof parts {
    const { files } = this.#options;
    const changes = files.kind === 'known' && hasChanges(files.report);
    return parts.filter(({ part }) => changes || part === 'conversation');
  }

  frame(look: Look, height: number): Frame {
    const drawn = (row: Row): string => drawRow(cutRow(row, look.width, look), look);
    const widest = Math.max(0, ...this.#parts.map(({ label }) => label.length));
    const choices = this.#parts.map(({ label, about }, at): Row => {
      const isChosen = at === this.#at;
      const sign = styled(isChosen ? `${glyphsOf(look).prompt} ` : '  ', accentStyle);
      const name = styled(`${at + 1}. ${label}`, isChosen ? { ...accentStyle, ...boldStyle } : {});
      const blanks = plain(' '.repeat(widest - label.length + 2));
      return [sign, name, blanks, styled(about, dimStyle)];
    });
    const key = hintKeys(look, 'pager');
    const foot: readonly Row[] = [
      [styled(glyphsOf(look).rule.repeat(look.width), dimStyle)],
      ...choices,
      [
        styled(
          `${key('Enter')} chooses · ${key('Page Up')} and ${key('Page Down')} scroll · ${key('Esc')} goes back`,
          dimStyle,
        ),
      ],
    ];
    const all = drawRows(rewindRows(this.#options.prompt, this.#options.files, { ...look, details: 'whole' }), look);
    this.#room = Math.max(1, height - foot.length - 1);
    this.#from = Math.max(0, Math.min(this.#from, all.length - this.#room));
    const shown = all.slice(this.#from, this.#from + this.#room);
    const blanks = Array.from({ length: this.#room - shown.length }, () => '');
    const head: Row = [styled('Go back to before this message', boldStyle)];
    return { rows: [drawn(head), ...shown, ...blanks, ...foot.map(drawn)].slice(0, height) };
  }

  input(input: TerminalInput): void {
    if (input.kind === 'wheel') this.#from += input.direction === 'up' ? -3 : 3;
    if (input.kind !== 'key') return;
    const choices = this.#parts;
    switch (input.name) {
      case 'escape':
      case 'q':
      case 'ctrl+c':
        return this.#options.close();
      case 'up':
      case 'k':
        this.#at = Math.max(0, this.#at - 1);
        return;
      case 'down':
      case 'j':
        this.#at = Math.max(0, Math.min(choices.length - 1, this.#at + 1));
        return;
      case 'pageup':
        this.#from -= this.#room;
        return;
      case 'pagedown':
      case 'space':
        this.#from += this.#room;
        return;
      case 'enter':
        return this.#pick(this.#at);
      default:
        if (/^[1-9]$/.test(input.name)) this.#pick(Number(input.name) - 1);
    }
  }

  #pick(index: number): void {
    const chosen = this.#parts[index];
    if (chosen !== undefined) this.#options.pick(chosen.part);
  }
}

function hasChanges({
  restored,
  deleted,
}: {
  readonly restored: readonly unknown[];
  readonly deleted: readonly unknown[];
}) {
  return restored.length + deleted.length > 0;
}
