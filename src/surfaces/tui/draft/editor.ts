import { cleanText } from '../screen/text/clean-text.ts';
import { renumberElements } from './draft-elements.ts';
import { type ClusterMeasure, cursorPlace, draftRows, placeAt } from './draft-layout.ts';
import {
  type Draft,
  type DraftPart,
  emptyDraft,
  insertInto,
  insertPart,
  type Motion,
  motionEnd,
  positionOutsideElements,
  replaceIn,
  sliceDraft,
  withCursor,
} from './draft.ts';
import { pasteInto } from './pasted-text.ts';

const motions: Readonly<Record<string, Motion>> = {
  left: 'left',
  'ctrl+b': 'left',
  right: 'right',
  'ctrl+f': 'right',
  'alt+b': 'word-left',
  'alt+left': 'word-left',
  'ctrl+left': 'word-left',
  'alt+f': 'word-right',
  'alt+right': 'word-right',
  'ctrl+right': 'word-right',
  home: 'line-start',
  'ctrl+a': 'line-start',
  end: 'line-end',
  'ctrl+e': 'line-end',
  'ctrl+home': 'start',
  'ctrl+end': 'end',
};

const deletions: Readonly<Record<string, Motion>> = {
  backspace: 'left',
  'shift+backspace': 'left',
  'ctrl+h': 'left',
  delete: 'right',
  'shift+delete': 'right',
  'ctrl+d': 'right',
};

const kills: Readonly<Record<string, Motion>> = {
  'ctrl+w': 'word-left',
  'alt+backspace': 'word-left',
  'ctrl+backspace': 'word-left',
  'ctrl+shift+backspace': 'word-left',
  'ctrl+alt+h': 'word-left',
  'alt+d': 'word-right',
  'alt+delete': 'word-right',
  'ctrl+delete': 'word-right',
  'ctrl+shift+delete': 'word-right',
  'ctrl+u': 'line-start',
  'ctrl+k': 'line-end',
};

const newlines = new Set(['ctrl+j', 'ctrl+m', 'shift+enter', 'alt+enter', 'ctrl+enter']);
const mostUndone = 200;

export class Editor {
  readonly #measure: ClusterMeasure;
  readonly #ring = new KillRing();
  #draft: Draft = emptyDraft;
  #undone: Draft[] = [];
  #done: Draft[] = [];
  #last: 'typed' | 'killed' | 'yanked' | 'moved' | undefined;
  #yankedAt = 0;
  /** The column that vertical moves keep to. */
  #column: number | undefined;

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
    this.#draft = emptyDraft;
    this.#done = [];
    this.#undone = [];
    this.#last = undefined;
    this.#column = undefined;
  }

  paste(text: string): void {
    this.set(pasteInto(this.#draft, text));
  }

  type(text: string): void {
    const isNew = this.#last !== 'typed' || /^\s/.test(text);
    const next = insertInto(this.#draft, text);
    if (isNew) this.#change(next);
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

  /** False: the key is not the editor's, or has no effect. `width`: of the draft on the screen. */
  press(name: string, width: number): boolean {
    if (newlines.has(name)) {
      this.type('\n');
      return true;
    }
    const vertical = name === 'up' || name === 'ctrl+p' ? -1 : name === 'down' || name === 'ctrl+n' ? 1 : undefined;
    if (vertical !== undefined) return this.#moveRows(vertical, width);
    const motion = motions[name];
    if (motion !== undefined) {
      this.#move(motionEnd(this.#draft, motion));
      return true;
    }
    return this.#edit(name);
  }

  #edit(name: string): boolean {
    const deleted = deletions[name];
    if (deleted !== undefined) {
      const { cursor } = this.#draft;
      const end = deletionEnd(this.#draft, deleted);
      if (end !== cursor) this.set(replaceIn(this.#draft, [Math.min(cursor, end), Math.max(cursor, end)], ''));
      return end !== cursor;
    }
    const killed = kills[name];
    if (killed !== undefined) {
      this.#kill(killed);
      return true;
    }
    switch (name) {
      case 'ctrl+y':
        this.#yank(this.#ring.newest, this.#draft.cursor);
        return true;
      case 'alt+y': {
        if (this.#last !== 'yanked') return false;
        const from = this.#yankedAt;
        this.#yank(this.#ring.rotate(), from);
        return true;
      }
      case 'ctrl+_':
      case 'ctrl+-':
      case 'ctrl+/':
        return this.#step(this.#done, this.#undone);
      case 'alt+_':
        return this.#step(this.#undone, this.#done);
      default:
        return false;
    }
  }

  #kill(motion: Motion): void {
    const draft = this.#draft;
    const { cursor } = draft;
    const isBack = motion === 'word-left' || motion === 'line-start';
    let end = motionEnd(draft, motion);
    // At the edge of a line, the line break is cut.
    if (end === cursor) end = motionEnd(draft, isBack ? 'left' : 'right');
    const range = [Math.min(cursor, end), Math.max(cursor, end)] as const;
    const joined = this.#last === 'killed' ? (isBack ? 'before' : 'behind') : undefined;
    this.#ring.add(sliceDraft(draft, range), joined);
    if (end !== cursor) this.set(replaceIn(draft, range, ''));
    this.#last = 'killed';
  }

  #yank(part: DraftPart | undefined, from: number): void {
    if (part === undefined) return;
    this.set(insertPart(this.#draft, [from, this.#draft.cursor], part));
    this.#yankedAt = from;
    this.#last = 'yanked';
  }

  #moveRows(by: 1 | -1, width: number): boolean {
    const { text, elements } = this.#draft;
    const rows = draftRows(text, width, this.#measure);
    const place = cursorPlace(this.#draft, rows, this.#measure);
    const row = rows[place.row + by];
    if (row === undefined) return false;
    const column = this.#column ?? place.column;
    this.#move(positionOutsideElements(elements, placeAt(text, row, column, this.#measure), 'start'));
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

/** Backspace deletes a Thai mark alone: people type and correct them one by one. */
function deletionEnd(draft: Draft, motion: Motion): number {
  const { text, cursor } = draft;
  const isMark = motion === 'left' && /[\u0E31\u0E34-\u0E3A\u0E47-\u0E4E]/.test(text[cursor - 1] ?? '');
  return isMark ? cursor - 1 : motionEnd(draft, motion);
}

const most = 20;

/** Cut parts of drafts with their elements, newest first. It outlives the draft. */
class KillRing {
  #parts: readonly DraftPart[] = [];

  add(part: DraftPart, joined: 'before' | 'behind' | undefined): void {
    if (part.text === '') return;
    const [last, ...rest] = this.#parts;
    if (joined === undefined || last === undefined) this.#parts = [part, ...this.#parts].slice(0, most);
    else this.#parts = [joined === 'before' ? joinedParts(part, last) : joinedParts(last, part), ...rest];
  }

  get newest(): DraftPart | undefined {
    return this.#parts[0];
  }

  rotate(): DraftPart | undefined {
    const [first, ...rest] = this.#parts;
    if (first !== undefined) this.#parts = [...rest, first];
    return this.newest;
  }
}

function joinedParts(first: DraftPart, second: DraftPart): DraftPart {
  const by = first.text.length;
  const moved = second.elements.map((each) => ({ ...each, start: each.start + by, end: each.end + by }));
  return { text: first.text + second.text, elements: [...first.elements, ...moved] };
}
