import { keyPress, type KeyPress, type TerminalInput } from '../screen/terminal/terminal-port.ts';
import { drawRow } from '../screen/text/draw-row.ts';
import { glyphsOf, type Look } from '../screen/text/look.ts';
import { accentStyle, boldStyle, dimStyle, type RowPiece, plain, type Row, styled } from '../screen/text/style.ts';
import type { Frame } from '../screen/view.ts';
import { DraftHistory } from './draft-history.ts';
import { cursorRowAndColumn, countDraftColumns, type DraftRow, draftRows, visibleDraftText } from './draft-layout.ts';
import { expandDraft, joinDrafts, trimDraft } from './draft-message.ts';
import { type Draft, type DraftElement, isShellDraft } from './draft.ts';
import { Editor } from './editor.ts';
import type { VimMode } from './vim/vim-mode.ts';

const margin = 2;

export class Composer {
  readonly history = new DraftHistory();
  changed: () => void = () => {};
  vim: VimMode | undefined;
  readonly #editor = new Editor(countDraftColumns);
  /** Drafts that came back while the current draft is lent out. Undefined while it is not lent out. */
  #cameBack: Draft[] | undefined;
  readonly #offered: Draft[] = [];
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

  /** True for a recalled, unchanged draft: no list opens for it, so that the next key continues recalling. */
  get isRecalled(): boolean {
    return !this.isEmpty && this.history.recalls(this.draft);
  }
  get isShell(): boolean {
    return isShellDraft(this.draft);
  }
  get words(): string {
    return expandDraft(this.draft).trim();
  }

  /** Takes the draft for sending: it can be recalled, and an empty one replaces it. */
  take(): Draft {
    const draft = trimDraft(this.draft);
    this.history.add(draft);
    this.#clear();
    return draft;
  }

  /** Discards the draft: it can be recalled, but is saved nowhere. */
  drop(): void {
    this.history.seed(trimDraft(this.draft));
    this.#clear();
  }

  /** Shows another draft for the moment, outside the undo history. */
  preview(draft: Draft): void {
    this.#editor.show(draft);
  }

  /** Puts a returned draft before what was written meanwhile. */
  giveBack(draft: Draft): void {
    if (this.#cameBack === undefined) this.draft = joinDrafts(draft, this.draft);
    else this.#cameBack.push(draft);
  }

  /** Shows the draft if the composer is empty and not lent out; otherwise it waits until then. */
  offer(draft: Draft): 'shown' | 'waits' {
    const isFree = this.isEmpty && this.#cameBack === undefined;
    if (isFree) this.draft = draft;
    else this.#offered.push(draft);
    return isFree ? 'shown' : 'waits';
  }

  /** Lends the draft to code that shows or changes it elsewhere. Drafts that return meanwhile wait for `regain`. */
  lend(): Draft {
    this.#cameBack ??= [];
    return this.draft;
  }

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

  /**
   * Like `giveBack` if the composer is empty. Otherwise the message is not joined with the draft: the next recall (Up)
   * shows it.
   */
  giveMessageBack(draft: Draft): 'shown' | 'aside' {
    const isFree = this.isEmpty;
    if (isFree) this.giveBack(draft);
    else this.history.setAside(draft);
    return isFree ? 'shown' : 'aside';
  }

  /** False if the composer does not use the input. */
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

  /** Handles a key in Vim mode. False if Vim mode does not use it. */
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

  /** Several keys at once are handled one by one. */
  #vimRun(text: string): boolean {
    for (const sign of text) {
      const press = keyPress(sign === ' ' ? 'space' : sign);
      if (!this.vimInput(press)) this.input(press);
    }
    return true;
  }

  /** In Vim's normal mode the cursor is always on a character. */
  #settle(): void {
    const settled = this.vim?.settled(this.draft);
    if (settled !== undefined && settled.cursor !== this.draft.cursor) this.#editor.show(settled);
  }

  #recall(name: string): boolean {
    const draft = name === 'up' ? this.history.older() : this.history.newer();
    if (draft === undefined) return (name === 'up' && this.#recallLater()) || this.isEmpty;
    this.draft = draft;
    return true;
  }

  /**
   * Older messages must be read from disk first. Then they are shown, unless the user has done something else
   * meanwhile.
   */
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

  get pasteAtCursor(): DraftElement | undefined {
    const { cursor, elements } = this.draft;
    if (!this.#editor.isMoved) return undefined;
    return elements.find(({ start, payload }) => start === cursor && payload.kind === 'paste');
  }

  frame(look: Look, height: number, placeholder: string): Frame {
    this.#width = Math.max(1, look.width - margin - 1);
    const { isShell } = this;
    const whole = this.draft;
    // The `!` of a shell command replaces the prompt sign.
    const draft = isShell ? { ...whole, text: whole.text.slice(1), cursor: Math.max(0, whole.cursor - 1) } : whole;
    const rows = draftRows(draft.text, this.#width, countDraftColumns);
    const place = cursorRowAndColumn(draft, rows, countDraftColumns);
    const from = Math.max(0, Math.min(place.row, rows.length) - Math.max(1, height) + 1);
    const shift = isShell ? 1 : 0;
    const marked = whole.elements.map(({ start, end }) => ({ start: start - shift, end: end - shift }));
    const shown = rows.slice(from, from + Math.max(1, height)).map((row, at): Row => {
      const sign = isShell ? '!' : glyphsOf(look).prompt;
      const prompt = from + at === 0 ? styled(`${sign} `, isShell ? accentStyle : boldStyle) : plain('  ');
      return [prompt, ...pieces(draft.text, row, marked)];
    });
    if (whole.text === '') shown[0] = [styled(`${glyphsOf(look).prompt} `, boldStyle), styled(placeholder, dimStyle)];
    return {
      rows: shown.map((row) => drawRow(row, look)),
      cursor: { row: place.row - from, column: Math.min(look.width - 1, margin + place.column) },
    };
  }
}

function pieces(text: string, { start: from, end: to }: DraftRow, marked: readonly DraftRow[]): readonly RowPiece[] {
  const found: RowPiece[] = [];
  let at = from;
  for (const { start, end } of marked) {
    if (end <= at || start >= to) continue;
    if (start > at) found.push(plain(visibleDraftText(text.slice(at, start))));
    found.push(styled(visibleDraftText(text.slice(Math.max(at, start), Math.min(to, end))), accentStyle));
    at = Math.min(to, end);
  }
  if (at < to) found.push(plain(visibleDraftText(text.slice(at, to))));
  return found;
}
