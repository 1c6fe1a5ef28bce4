import { formatCount } from '../../../../engine/wording.ts';
import { drawCutRows, margin } from '../../pages/list-parts.ts';
import { actionId, type KeyAction } from '../../screen/keys/key-actions.ts';
import { chordMs } from '../../screen/keys/key-map.ts';
import { shownKey, strokesForConfig } from '../../screen/keys/key-names.ts';
import { unfitKey } from '../../screen/keys/read-key-map.ts';
import type { TerminalInput } from '../../screen/terminal/terminal-port.ts';
import { cleanLine } from '../../screen/text/clean-text.ts';
import { glyphsOf, type Look } from '../../screen/text/look.ts';
import { accentStyle, boldStyle, dimStyle, plain, type Row, styled, warnStyle } from '../../screen/text/style.ts';
import { wrapIn } from '../../screen/text/wrap-row.ts';
import type { Frame, View } from '../../screen/view.ts';

interface KeyCaptureOptions {
  readonly action: KeyAction;
  /** A sentence about keys that the terminal cannot send. Empty if nothing is known about them. */
  note(): string;
  captured(strokes: string): void;
  reported(input: TerminalInput): void;
  now(): number;
  draw(): void;
  close(): void;
}

/** After this long without input, the terminal probably keeps the key to itself. */
const silenceMs = 3000;

/** Waits for the key to bind. A pause of a second after the first key ends it. */
export class KeyCaptureView implements View {
  readonly keys = 'raw';
  readonly #options: KeyCaptureOptions;
  #first: string | undefined;
  #refused = '';
  #last = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: KeyCaptureOptions) {
    this.#options = options;
    this.#listen();
  }

  frame(look: Look, height: number): Frame {
    const { action, note } = this.#options;
    const lines = (text: string, first = margin): readonly Row[] =>
      text === '' ? [] : wrapIn(look, [styled(text, dimStyle)], first, margin);
    const isSilent = this.#first === undefined && look.now - this.#last >= silenceMs;
    const warned: Row = [plain('  '), styled(`${glyphsOf(look).warning} `, warnStyle)];
    const rows: readonly Row[] = [
      [plain('  '), styled(`New key for ${actionId(action)}`, boldStyle)],
      ...lines(action.does),
      ...(this.#first === undefined
        ? [...lines(this.#refused, warned), ...lines(howTo)]
        : [
            [plain('  '), styled(cleanLine(shownKey(this.#first)), accentStyle)],
            ...lines('A second key makes a chord. Wait to take this one alone.'),
          ]),
      ...lines(isSilent ? silent : ''),
      ...lines(note()),
    ];
    return { rows: drawCutRows(rows.slice(0, Math.max(1, height)), look) };
  }

  input(input: TerminalInput): void {
    if (input.kind !== 'key' || input.name === 'text') return this.#options.reported(input);
    clearTimeout(this.#timer);
    const { name } = input;
    if (name === 'escape' || name === 'ctrl+c') return this.#leave();
    if (this.#first !== undefined) return this.#options.captured(`${this.#first} ${name}`);
    const unfit = unfitKey(name, this.#options.action);
    this.#refused = unfit === undefined ? '' : `This is ${unfit.what}. ${unfit.next}`;
    if (unfit !== undefined) return this.#listen();
    this.#first = name;
    this.#wait(chordMs, () => this.#options.captured(name));
  }

  /** Drops the first key of a chord; without one, leaves the view. */
  #leave(): void {
    if (this.#first === undefined) return this.#options.close();
    this.#first = undefined;
    this.#listen();
  }

  #listen(): void {
    this.#wait(silenceMs, () => this.#options.draw());
  }

  #wait(ms: number, then: () => void): void {
    this.#last = this.#options.now();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(then, ms).unref();
  }
}

const howTo = 'Press it. A second key within a second makes a chord. Esc goes back.';
const silent = 'Nothing came? Then the terminal, tmux or the system keeps that key.';
const mostShown = 8;

export function keyDebugView({ now, draw, close }: Pick<KeyCaptureOptions, 'now' | 'draw' | 'close'>): View {
  const seen: string[] = [];
  let last = 0;
  let timer: NodeJS.Timeout | undefined;
  /** Schedules a frame for the hint about silence, which must appear without a key press. */
  const listen = (): void => {
    last = now();
    clearTimeout(timer);
    timer = setTimeout(draw, silenceMs).unref();
  };
  listen();
  return {
    keys: 'raw',
    frame(look, height) {
      const rows: readonly Row[] = [
        [plain('  '), styled('What the terminal sends', boldStyle)],
        ...seen.map((text, at): Row => [plain('  '), styled(text, at === 0 ? accentStyle : {})]),
        [styled(`  ${look.now - last >= silenceMs ? silent : 'Press a key.'} Ctrl+C closes.`, dimStyle)],
      ];
      return { rows: drawCutRows(rows.slice(0, Math.max(1, height)), look) };
    },
    input(input) {
      if (input.kind === 'key' && input.name === 'ctrl+c') {
        clearTimeout(timer);
        return close();
      }
      listen();
      seen.unshift(words(input));
      seen.splice(mostShown);
    },
  };
}

function words(input: TerminalInput): string {
  switch (input.kind) {
    case 'paste':
      return `a paste of ${formatCount(input.text.length)} characters`;
    case 'wheel':
      return `the wheel, ${input.direction}`;
    case 'focus':
    case 'background':
    case 'answer':
      return `a report of the terminal (${input.kind})`;
    case 'key': {
      const types = input.text === '' ? 'types nothing' : `types "${cleanLine(input.text)}"`;
      return `${cleanLine(shownKey(input.name))}: in config.toml "${cleanLine(strokesForConfig(input.name))}", ${types}`;
    }
  }
}
