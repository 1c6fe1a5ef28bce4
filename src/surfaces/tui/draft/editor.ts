import { keyTable } from '../pages/list-parts.ts';
import { cleanText } from '../screen/text/clean-text.ts';
import { renumberElements } from './draft-elements.ts';
import { type ClusterMeasure, cursorRowAndColumn, draftRows, positionAtColumn } from './draft-layout.ts';
import {
  emptyDraft,
  insertInto,
  insertPart,
  motionEnd,
  movedElements,
  positionOutsideElements,
  replaceRange,
  sliceDraft,
  withCursor,
} from './draft.ts';
import type { Draft, DraftPart, DraftRange, CursorMotion } from './draft.ts';
import { pasteInto } from './pasted-text.ts';

const motions = keyTable<CursorMotion>({
  'left ctrl+b': 'left',
  'right ctrl+f': 'right',
  'alt+b alt+left ctrl+left': 'word-left',
  'alt+f alt+right ctrl+right': 'word-right',
  'home ctrl+a': 'line-start',
  'end ctrl+e': 'line-end',
  'ctrl+home': 'start',
  'ctrl+end': 'end',
});
const deletions = keyTable<CursorMotion>({
  'backspace shift+backspace ctrl+h': 'left',
  'delete shift+delete ctrl+d': 'right',
});
const kills = keyTable<CursorMotion>({
  'ctrl+w alt+backspace ctrl+backspace ctrl+shift+backspace ctrl+alt+h': 'word-left',
  'alt+d alt+delete ctrl+delete ctrl+shift+delete': 'word-right',
  'ctrl+u': 'line-start',
  'ctrl+k': 'line-end',
});
const newlines = new Set(['ctrl+j', 'ctrl+m', 'shift+enter', 'alt+enter', 'ctrl+enter']);
const mostUndone = 200;
const mostCuts = 20;

export class Editor {
  readonly #measure: ClusterMeasure;
  /** Cut parts with their elements, newest first. They outlive the draft. */
  #cuts: readonly DraftPart[] = [];
  #draft: Draft = emptyDraft;
  #undone: Draft[] = [];
  #done: Draft[] = [];
  #last: 'typed' | 'killed' | 'yanked' | 'moved' | undefined;
  #yankedAt = 0;
  /** The column that vertical moves keep to. */
  #column: number | undefined;
  readonly #others = keyTable<(width: number) => boolean>({
    'up ctrl+p': (width) => this.#moveRows(-1, width),
    'down ctrl+n': (width) => this.#moveRows(1, width),
    'ctrl+y': () => this.#yank(this.#draft.cursor),
    'alt+y': () => this.#last === 'yanked' && this.#yankOlder(),
    'ctrl+_ ctrl+- ctrl+/': () => this.#step(this.#done, this.#undone),
    'alt+_': () => this.#step(this.#undone, this.#done),
  });

  constructor(measure: ClusterMeasure) {
    this.#measure = measure;
  }

  get draft(): Draft {
    return this.#draft;
  }
  get isMoved(): boolean {
    return this.#last === 'moved';
  }

  set(draft: Draft): void {
    this.#change(draft);
    this.#last = undefined;
  }

  /** Shows another draft temporarily, without an undo step. */
  show(draft: Draft): void {
    this.#draft = draft;
    this.#last = undefined;
    this.#column = undefined;
  }

  /** Clears the draft and the undo history, after it was sent or dropped. */
  clear(): void {
    this.show(emptyDraft);
    this.#done = [];
    this.#undone = [];
  }

  paste(text: string): void {
    this.set(pasteInto(this.#draft, text));
  }

  type(text: string): void {
    const next = insertInto(this.#draft, text);
    if (this.#last !== 'typed' || /^\s/.test(text)) this.#change(next);
    else this.#draft = next;
    this.#undone = [];
    this.#last = 'typed';
    this.#column = undefined;
  }

  /** Types the text of a key. Emoji may arrive in pieces: a joiner is kept if the piece before it is in the draft. */
  typeKey(text: string): void {
    const { text: written, cursor } = this.#draft;
    const before = written.slice(Math.max(0, cursor - 4), cursor);
    this.type(cleanText(before + text).slice(cleanText(before).length));
  }

  /** False if the editor does not use the key, or it has no effect. `width`: columns of the draft on the screen. */
  press(name: string, width: number): boolean {
    const [motion, deleted, killed] = [motions.get(name), deletions.get(name), kills.get(name)];
    if (newlines.has(name)) this.type('\n');
    else if (motion !== undefined) this.#move(motionEnd(this.#draft, motion));
    else if (deleted !== undefined) return this.#delete(deleted);
    else if (killed !== undefined) this.#kill(killed);
    else return this.#others.get(name)?.(width) === true;
    return true;
  }

  #delete(motion: CursorMotion): boolean {
    const { cursor } = this.#draft;
    const end = deletionEnd(this.#draft, motion);
    if (end !== cursor) this.set(replaceRange(this.#draft, rangeOf(cursor, end), ''));
    return end !== cursor;
  }

  #kill(motion: CursorMotion): void {
    const draft = this.#draft;
    const isBack = motion === 'word-left' || motion === 'line-start';
    let end = motionEnd(draft, motion);
    // At the edge of a line, the line break is cut.
    if (end === draft.cursor) end = motionEnd(draft, isBack ? 'left' : 'right');
    const range = rangeOf(draft.cursor, end);
    const cut = sliceDraft(draft, range);
    const [newest, ...rest] = this.#cuts;
    if (cut.text !== '') {
      if (this.#last !== 'killed' || newest === undefined) this.#cuts = [cut, ...this.#cuts].slice(0, mostCuts);
      else this.#cuts = [isBack ? joinedParts(cut, newest) : joinedParts(newest, cut), ...rest];
      this.set(replaceRange(draft, range, ''));
    }
    this.#last = 'killed';
  }

  /** Replaces the text between `from` and the cursor with the newest cut. */
  #yank(from: number): true {
    const [newest] = this.#cuts;
    if (newest === undefined) return true;
    this.set(insertPart(this.#draft, [from, this.#draft.cursor], newest));
    this.#yankedAt = from;
    this.#last = 'yanked';
    return true;
  }

  #yankOlder(): true {
    this.#cuts = [...this.#cuts.slice(1), ...this.#cuts.slice(0, 1)];
    return this.#yank(this.#yankedAt);
  }

  #moveRows(by: 1 | -1, width: number): boolean {
    const { text, elements } = this.#draft;
    const rows = draftRows(text, width, this.#measure);
    const place = cursorRowAndColumn(this.#draft, rows, this.#measure);
    const row = rows[place.row + by];
    if (row === undefined) return false;
    const column = this.#column ?? place.column;
    this.#move(positionOutsideElements(elements, positionAtColumn(text, row, column, this.#measure), 'start'));
    this.#column = column;
    return true;
  }

  #move(to: number): void {
    this.#draft = withCursor(this.#draft, to);
    this.#last = 'moved';
    this.#column = undefined;
  }

  #change(draft: Draft): void {
    if (draft.text !== this.#draft.text) {
      this.#done = [...this.#done, this.#draft].slice(-mostUndone);
      this.#undone = [];
    }
    this.#draft = renumberElements(draft);
    this.#column = undefined;
  }

  #step(from: Draft[], to: Draft[]): boolean {
    const draft = from.pop();
    if (draft === undefined) return false;
    to.push(this.#draft);
    this.#draft = draft;
    this.#last = undefined;
    return true;
  }
}

/** Backspace deletes only the Thai mark, not its letter: people type and correct marks one by one. */
function deletionEnd(draft: Draft, motion: CursorMotion): number {
  const { text, cursor } = draft;
  const isMark = motion === 'left' && /[\u0E31\u0E34-\u0E3A\u0E47-\u0E4E]/.test(text[cursor - 1] ?? '');
  return isMark ? cursor - 1 : motionEnd(draft, motion);
}

const rangeOf = (one: number, other: number): DraftRange => [Math.min(one, other), Math.max(one, other)];

const joinedParts = (first: DraftPart, second: DraftPart): DraftPart => ({
  text: first.text + second.text,
  elements: [...first.elements, ...movedElements(second.elements, first.text.length)],
});
