import { keyPress, type KeyPress, type TerminalInput } from '../screen/terminal/terminal-port.ts';
import { drawRow } from '../screen/text/draw-row.ts';
import { glyphsOf, type Look } from '../screen/text/look.ts';
import { accentStyle, boldStyle, dimStyle, type Piece, plain, type Row, styled } from '../screen/text/style.ts';
import type { Frame } from '../screen/view.ts';
import { DraftHistory } from './draft-history.ts';
import { cursorPlace, draftColumns, draftRows, drawnDraft } from './draft-layout.ts';
import { expandDraft, joinDrafts, trimDraft } from './draft-message.ts';
import { type Draft, type DraftElement, isShellDraft } from './draft.ts';
import { Editor } from './editor.ts';

/** Columns before the text, and one behind it, where the cursor may stand. */
const margin = 2;

/** The place where the user writes. */
export class Composer {
  readonly history = new DraftHistory();
  /** The draft has changed without a key. */
  changed: () => void = () => {};
  /** Vim mode, while it is on. */
  vim: ModalKeys | undefined;
  readonly #editor = new Editor(draftColumns);
  /** What came back while the draft is lent; undefined: it is not. */
  #cameBack: Draft[] | undefined;
  /** What is to be written next, when the draft is sent or cleared. */
  readonly #offered: Draft[] = [];
  /** Columns of the text when it was drawn last. */
  #width = 77;

  get draft(): Draft {
    return this.#editor.draft;
  }

  set draft(draft: Draft) {
    this.#editor.set(draft);
  }

  get isEmpty(): boolean {
    return this.draft.text === '';
  }

  /** The draft was recalled and not changed: lists for what is typed stay closed, so that the next key goes on recalling. */
  get isRecalled(): boolean {
    return !this.isEmpty && this.history.recalls(this.draft);
  }

  get isShell(): boolean {
    return isShellDraft(this.draft);
  }

  /** What the draft says. */
  get words(): string {
    return expandDraft(this.draft).trim();
  }

  /** The draft is sent: it can be recalled, and the next one begins. */
  take(): Draft {
    const draft = trimDraft(this.draft);
    this.history.add(draft);
    this.#clear();
    return draft;
  }

  /** The draft is dropped: it can be recalled, and is kept nowhere. */
  drop(): void {
    this.history.seed(trimDraft(this.draft));
    this.#clear();
  }

  /** Shows another draft, without a trace of it once the first one is shown again. */
  preview(draft: Draft): void {
    this.#editor.show(draft);
  }

  /** A draft that comes back stands before what was written meanwhile. */
  giveBack(draft: Draft): void {
    if (this.#cameBack === undefined) this.draft = joinDrafts(draft, this.draft);
    else this.#cameBack.push(draft);
  }

  /** Something to write on. It waits while the user writes something else. */
  offer(draft: Draft): 'shown' | 'waits' {
    const isFree = this.isEmpty && this.#cameBack === undefined;
    if (isFree) this.draft = draft;
    else this.#offered.push(draft);
    return isFree ? 'shown' : 'waits';
  }

  /** The draft, for what shows or changes it elsewhere. What comes back meanwhile waits for `regain`. */
  lend(): Draft {
    this.#cameBack ??= [];
    return this.draft;
  }

  /** The draft is here again. */
  regain(): void {
    const back = this.#cameBack ?? [];
    this.#cameBack = undefined;
    for (const draft of back) this.giveBack(draft);
    this.#bringOffered();
  }

  #clear(): void {
    this.#editor.clear();
    this.vim?.reset();
    this.#bringOffered();
  }

  #bringOffered(): void {
    const offered = this.isEmpty && this.#cameBack === undefined ? this.#offered.shift() : undefined;
    if (offered !== undefined) this.draft = offered;
  }

  /** The same for a whole message, which is not joined with what the user writes: then the next recall shows it. */
  giveMessageBack(draft: Draft): 'shown' | 'aside' {
    if (!this.isEmpty) {
      this.history.setAside(draft);
      return 'aside';
    }
    this.giveBack(draft);
    return 'shown';
  }

  /** False: the key is not the composer's. */
  input(input: TerminalInput): boolean {
    if (input.kind === 'paste') {
      this.#editor.paste(input.text);
      return true;
    }
    if (input.kind !== 'key') return false;
    const { name, text } = input;
    if (text !== '') {
      this.#editor.typeKey(text);
      return true;
    }
    const isRecall = (name === 'up' || name === 'down') && this.history.recalls(this.draft);
    const isDone = (isRecall && this.#recall(name)) || this.#editor.press(name, this.#width);
    this.#settle();
    if (isDone) this.#bringOffered();
    return isDone;
  }

  /** A key of Vim mode. False: it is for others. */
  vimInput(press: KeyPress): boolean {
    const { vim, draft } = this;
    if (vim === undefined) return false;
    if (press.name === 'text' && vim.mode !== 'insert') return this.#vimRun(press.text);
    const isAtEnd = draft.cursor === vim.settled({ ...draft, cursor: draft.text.length }).cursor;
    const recalls = this.history.recalls(isAtEnd ? { ...draft, cursor: draft.text.length } : draft);
    const step = vim.press(press, draft, { recalls });
    if (step.wants === 'passed') return false;
    if (step.wants !== undefined) this.#recall(step.wants === 'older' ? 'up' : 'down');
    else if (step.draft !== draft) this.draft = step.draft;
    this.#settle();
    vim.shown(this.draft);
    this.#bringOffered();
    return true;
  }

  /** Many keys at once: each is one of its own. */
  #vimRun(text: string): boolean {
    for (const sign of text) {
      const press = keyPress(sign === ' ' ? 'space' : sign);
      if (!this.vimInput(press)) this.input(press);
    }
    return true;
  }

  /** In the normal mode of Vim the cursor stands on a character. */
  #settle(): void {
    const settled = this.vim?.settled(this.draft);
    if (settled !== undefined && settled.cursor !== this.draft.cursor) this.#editor.show(settled);
  }

  #recall(name: 'up' | 'down' | string): boolean {
    const draft = name === 'up' ? this.history.older() : this.history.newer();
    if (draft === undefined) return (name === 'up' && this.#recallLater()) || this.isEmpty;
    this.draft = draft;
    return true;
  }

  /** Older ones have to be read first. They are shown if the user still looks for them then. */
  #recallLater(): boolean {
    const { history } = this;
    if (history.state !== 'more') return false;
    void (async () => {
      while (history.state === 'more') {
        await history.load();
        const older = history.recalls(this.draft) ? history.older() : undefined;
        if (older !== undefined) this.draft = older;
        if (older !== undefined || !history.recalls(this.draft)) break;
      }
      this.changed();
    })();
    return true;
  }

  /** The paste that the user has moved the cursor to: it stands on its first sign. */
  get pasteAtCursor(): DraftElement | undefined {
    const { cursor, elements } = this.draft;
    if (!this.#editor.isMoved) return undefined;
    return elements.find(({ start, payload }) => start === cursor && payload.kind === 'paste');
  }

  /** At most `height` rows, with the cursor in sight. */
  frame(look: Look, height: number, placeholder: string): Frame {
    this.#width = Math.max(1, look.width - margin - 1);
    const { isShell } = this;
    const whole = this.draft;
    // The sign of the shell stands in the place of the prompt.
    const draft = isShell ? { ...whole, text: whole.text.slice(1), cursor: Math.max(0, whole.cursor - 1) } : whole;
    const rows = draftRows(draft.text, this.#width, draftColumns);
    const place = cursorPlace(draft, rows, draftColumns);
    const from = Math.max(0, Math.min(place.row, rows.length) - Math.max(1, height) + 1);
    const shift = isShell ? 1 : 0;
    const marked = whole.elements.map(({ start, end }) => ({ start: start - shift, end: end - shift }));
    const shown = rows.slice(from, from + Math.max(1, height)).map((row, at): Row => {
      const sign = isShell ? '!' : glyphsOf(look).prompt;
      const prompt = from + at === 0 ? styled(`${sign} `, isShell ? accentStyle : boldStyle) : plain('  ');
      return [prompt, ...pieces(draft.text, row.start, row.end, marked)];
    });
    if (whole.text === '') shown[0] = [styled(`${glyphsOf(look).prompt} `, boldStyle), styled(placeholder, dimStyle)];
    return {
      rows: shown.map((row) => drawRow(row, look)),
      cursor: { row: place.row - from, column: Math.min(look.width - 1, margin + place.column) },
    };
  }
}

/** A part of the draft, elements in a colour of their own. */
function pieces(
  text: string,
  from: number,
  to: number,
  marked: readonly { readonly start: number; readonly end: number }[],
): readonly Piece[] {
  const found: Piece[] = [];
  let at = from;
  for (const { start, end } of marked) {
    if (end <= at || start >= to) continue;
    if (start > at) found.push(plain(drawnDraft(text.slice(at, start))));
    found.push(styled(drawnDraft(text.slice(Math.max(at, start), Math.min(to, end))), accentStyle));
    at = Math.min(to, end);
  }
  if (at < to) found.push(plain(drawnDraft(text.slice(at, to))));
  return found;
}

/** A key by its name; one that types a character has the name of it. */
export interface PressedSign {
  readonly name: string;
}

/** Keys that depend on a mode: in normal mode they are commands, in insert mode they type, in replace mode over what is there. */
export interface ModalKeys {
  readonly mode: 'normal' | 'insert' | 'replace';
  /** What is searched for in the draft, while it is typed or where it was not found. */
  readonly search: string | undefined;
  /**
   * What a key makes of the draft. `passed`: it is for others. `older`, `newer`: a message of before is wanted.
   * `recalls`: up and down may ask for that.
   */
  press(
    press: PressedSign,
    draft: Draft,
    options: { readonly recalls: boolean },
  ): { readonly draft: Draft; readonly wants?: 'passed' | 'older' | 'newer' };
  /** The draft is this one now. */
  shown(draft: Draft): void;
  /** The draft, with the cursor where the mode wants it. */
  settled(draft: Draft): Draft;
  /** The draft was sent or dropped: the next one has a past of its own. */
  reset(): void;
}
