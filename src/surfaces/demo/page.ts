import type { Variables } from '../../protocol/variables.ts';
import { type TextLook, paint, wantsColor } from '../terminal/look.ts';
import { isLive } from '../terminal/open-screen.ts';
import { wrap } from '../terminal/wrap.ts';
import { type SizedStream, terminalWidth } from '../terminal/terminal-width.ts';

/** What a page is written on. */
interface Paper extends SizedStream {
  write(text: string): void;
}

const widest = 80;

/** What the demo says itself, between what the processes show that it starts. */
export class Page {
  /** Whether a reader watches it happen. */
  readonly isLive: boolean;
  readonly #paper: Paper;
  readonly #width: number;
  readonly #color: boolean;

  constructor(paper: Paper, env: Variables) {
    this.#paper = paper;
    this.#color = wantsColor(paper, 'auto', env);
    this.isLive = isLive(paper, env);
    this.#width = Math.min(widest, Math.max(40, terminalWidth(paper) ?? widest));
  }

  heading(text: string): void {
    this.gap();
    this.#line(text, 'bold');
  }

  paragraph(text: string, look?: TextLook): void {
    for (const line of wrap(text, this.#width)) this.#line(line, look);
  }

  /** A command that the reader could type. */
  command(text: string): void {
    this.#line(`> ${text}`, 'cyan');
  }

  gap(): void {
    this.#paper.write('\n');
  }

  #line(text: string, look?: TextLook): void {
    this.#paper.write(`${paint([look === undefined ? text : { look, text }], this.#color)}\n`);
  }
}
