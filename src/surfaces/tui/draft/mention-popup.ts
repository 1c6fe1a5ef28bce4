import { countColumns, splitGraphemes } from '../../../base/text-columns.ts';
import { visibleLine } from '../../views/terminal/visible-text.ts';
import { cursorSign, drawCutRows, listRowStyle, paddingBlanks } from '../pages/list-parts.ts';
import { cleanLine } from '../screen/text/clean-text.ts';
import { glyphsOf, type Look } from '../screen/text/look.ts';
import { accentStyle, dimStyle, plain, type Row, styled } from '../screen/text/style.ts';
import { hasImageName, insertElement, insertPath, insertPicture, isSameToken, mentionAt } from './draft-elements.ts';
import type { MentionToken } from './draft-elements.ts';
import { type Draft, isShellDraft } from './draft.ts';

export interface MentionSource {
  /** Lists skills and plugins. Like `files`, it never rejects. */
  tools(): Promise<readonly MentionItem[]>;
  /** Calls `found` repeatedly as more files are known, until the signal aborts. */
  files(typed: string, signal: AbortSignal, found: (files: readonly MentionItem[]) => void): Promise<void>;
}

type ChosenMention = { readonly item: MentionItem; readonly token: MentionToken };
const mostRows = 8;

export class MentionPopup {
  readonly #source: MentionSource;
  readonly #changed: () => void;
  #token: MentionToken | undefined;
  #closed: MentionToken | undefined;
  #filter: MentionFilter = 'all';
  #at = 0;
  #tools: readonly MentionItem[] = [];
  #files: readonly MentionItem[] = [];
  #isSearching = false;
  #search = new AbortController();

  constructor(source: MentionSource, changed: () => void) {
    this.#source = source;
    this.#changed = changed;
  }

  update(draft: Draft): void {
    const token = mentionAt(draft);
    if (draft.text === '') this.#closed = undefined;
    const before = this.#token;
    this.#token = token;
    if (token === undefined) return this.#stop();
    if (before !== undefined && isSameToken(before, token)) return;
    this.#at = 0;
    if (before?.sign !== token.sign || before.before !== token.before) void this.#begin();
    if (token.sign === '@') void this.#find(token.typed);
    else this.#stop();
  }

  get isOpen(): boolean {
    const token = this.#token;
    if (token === undefined || (this.#closed !== undefined && isSameToken(this.#closed, token))) return false;
    // A `$` without a matching skill is the shell's: show no empty list for it.
    return this.#items.length > 0 || (token.sign === '@' && token.typed !== '');
  }

  close(): void {
    this.#closed = this.#token;
  }

  move(by: 1 | -1): void {
    const { length } = this.#items;
    this.#at = length === 0 ? 0 : (this.#at + by + length) % length;
  }

  /** False if there is nothing to switch between. */
  switchFilter(by: 1 | -1): boolean {
    if (this.#token?.sign !== '@' || this.#tools.length === 0) return false;
    const at = mentionFilters.indexOf(this.#filter) + by + mentionFilters.length;
    this.#filter = mentionFilters[at % mentionFilters.length] ?? 'all';
    this.#at = 0;
    return true;
  }

  get chosen(): ChosenMention | undefined {
    const [item, token] = [this.#items[this.#at], this.#token];
    return item === undefined || token === undefined ? undefined : { item, token };
  }

  /** Replaces the word with the selected item. A picture file becomes a picture if the model accepts them. */
  insert(draft: Draft, { item, token }: ChosenMention, { takesPictures }: { readonly takesPictures: boolean }): Draft {
    const range = [token.start, token.end] as const;
    const { kind, name, text } = item;
    if (kind === 'file' && takesPictures && !isShellDraft(draft) && hasImageName(name))
      return insertPicture(draft, name, range);
    if (kind === 'file' || kind === 'folder')
      return insertPath(draft, kind === 'folder' ? `${name}/` : name, text, range);
    return insertElement(draft, range, cleanLine(kind === 'skill' ? `$${name}` : text), { kind: 'mention', text });
  }

  rows(look: Look, room: number): readonly string[] {
    const items = this.#items;
    const rows: Row[] = [];
    const most = Math.max(1, Math.min(mostRows, room));
    const from = Math.max(0, Math.min(this.#at - most + 1, items.length - most));
    const shown = items.slice(from, from + most);
    const described = shown.filter(({ about }) => about !== '').map((item) => countColumns(shownName(item)));
    const wide = Math.min(Math.max(0, ...described), Math.floor(look.width * 0.6));
    for (const [index, item] of shown.entries()) {
      const isChosen = from + index === this.#at;
      const name = cutStart(shownName(item), item.about === '' ? look.width - 2 : wide, look);
      const blanks = plain(`${paddingBlanks(wide, countColumns(name))}  `);
      const about = [blanks, styled(cleanLine(item.about), isChosen ? accentStyle : dimStyle)];
      const row = [cursorSign(isChosen, look), styled(name, listRowStyle(isChosen))];
      rows.push([...row, ...(item.about === '' ? [] : about)]);
    }
    if (items.length === 0) rows.push([styled(this.#isSearching ? '  Searching' : '  No matches.', dimStyle)]);
    if (this.#token?.sign === '@' && this.#tools.length > 0 && rows.length < room)
      rows.push([styled(`  Showing ${this.#filter} (left and right switch)`, dimStyle)]);
    return drawCutRows(rows, look);
  }

  get #items(): readonly MentionItem[] {
    const token = this.#token;
    if (token === undefined) return [];
    const tools = fittingTools(this.#tools, token);
    if (token.sign === '$') return tools.filter(({ kind }) => kind === 'skill');
    const plugins = tools.filter(({ kind }) => kind === 'plugin');
    const skills = tools.filter(({ kind }) => kind === 'skill');
    // Previous results that still match.
    const files = this.#files.filter((file) => hasLetters(file, token.typed));
    return { all: [...plugins, ...skills, ...files], files, tools: [...plugins, ...skills] }[this.#filter];
  }

  /** Skills may have changed since the last mention. */
  async #begin(): Promise<void> {
    this.#filter = 'all';
    this.#files = [];
    this.#tools = await this.#source.tools();
    this.#changed();
  }

  /** Previous results stay until new ones arrive. */
  async #find(typed: string): Promise<void> {
    this.#search.abort();
    const search = new AbortController();
    const { signal } = search;
    this.#search = search;
    this.#isSearching = true;
    await this.#source.files(typed, signal, (files) => {
      if (signal.aborted) return;
      this.#files = files;
      this.#at = Math.min(this.#at, Math.max(0, this.#items.length - 1));
      this.#changed();
    });
    if (signal.aborted) return;
    this.#isSearching = false;
    this.#changed();
  }

  #stop(): void {
    this.#search.abort();
    this.#files = [];
  }
}

function shownName({ kind, name }: MentionItem): string {
  const shown = visibleLine(name);
  if (kind === 'skill') return `$${shown}`;
  if (kind === 'plugin') return `@${shown}`;
  return kind === 'folder' ? `${shown}/` : shown;
}

/** Cuts the start: the end of a long path says most. */
function cutStart(name: string, columns: number, look: Look): string {
  if (countColumns(name) <= columns) return name;
  const { ellipsis } = glyphsOf(look);
  const clusters = [...splitGraphemes(name)];
  let used = countColumns(name) + ellipsis.length;
  while (used > columns && clusters.length > 0) used -= clusters.shift()?.columns ?? 0;
  return ellipsis + clusters.map(({ text }) => text).join('');
}

function hasLetters({ name }: MentionItem, typed: string): boolean {
  const path = name.toLowerCase();
  let at = -1;
  return [...typed.toLowerCase()].every((letter) => {
    at = path.indexOf(letter, at + 1);
    return at >= 0;
  });
}

export interface MentionItem {
  readonly kind: 'file' | 'folder' | 'skill' | 'plugin';
  /** The path below the working folder, or the name. */
  readonly name: string;
  readonly about: string;
  readonly text: string;
}

const mentionFilters = ['all', 'files', 'tools'] as const;
type MentionFilter = (typeof mentionFilters)[number];

/**
 * Tools whose names match the typed text, those that begin with it first. Text in capitals may be a shell variable, so
 * only names that begin with exactly this text match. With `@`, where tools stand among files, the name or one of its
 * words must begin with the text.
 */
function fittingTools(tools: readonly MentionItem[], { sign, typed }: MentionToken): readonly MentionItem[] {
  if (/^[A-Z][A-Z\d_]*$/.test(typed)) return tools.filter(({ name }) => name.startsWith(typed));
  const wanted = typed.toLowerCase();
  const placeOf = ({ name }: MentionItem): number => name.toLowerCase().indexOf(wanted);
  const fits = (item: MentionItem): boolean => {
    const place = placeOf(item);
    return sign === '$' ? place >= 0 : place === 0 || (place > 0 && /[^a-z\d]/i.test(item.name[place - 1] ?? ''));
  };
  return tools.filter(fits).toSorted((one, other) => Math.min(1, placeOf(one)) - Math.min(1, placeOf(other)));
}
