import type { Draft } from './draft.ts';
import { hintKeyMapper } from '../screen/keys/key-map.ts';
import { drawCutRow } from '../screen/text/draw-row.ts';
import type { Look } from '../screen/text/look.ts';
import { dimStyle, styled } from '../screen/text/style.ts';
import { argumentAtCursor, hasOnlyListedValues, withArgument } from '../commands/slash-commands.ts';
import type { ArgumentAtCursor, ArgumentValue } from '../commands/slash-commands.ts';
import { popupRows } from '../commands/slash-popup.ts';

/** Lists the values of an argument. Never rejects. */
export type ArgumentLister = (asked: ArgumentAtCursor) => Promise<readonly ArgumentValue[]>;

export class ArgumentPopup {
  readonly #valuesOf: ArgumentLister;
  readonly #changed: () => void;
  #asked: ArgumentAtCursor | undefined;
  /** Key of the last request for values. */
  #askedFor = '';
  #values: readonly ArgumentValue[] = [];
  #isAsking = false;
  #moved: number | undefined;
  /** The text at which the user closed the list. */
  #closedFor: string | undefined;
  #text = '';

  constructor(valuesOf: ArgumentLister, changed: () => void) {
    this.#valuesOf = valuesOf;
    this.#changed = changed;
  }

  update(draft: Draft): void {
    const isSame = draft.text === this.#text;
    const [asked, before] = [argumentAtCursor(draft), this.#asked];
    this.#asked = asked;
    this.#text = draft.text;
    if (isSame) return;
    this.#closedFor = undefined;
    this.#moved = undefined;
    const wanted = asked === undefined ? '' : whatIsAsked(asked);
    if (wanted === this.#askedFor) return;
    this.#askedFor = wanted;
    // Keep the previous values until new ones arrive.
    if (placeOf(asked) !== placeOf(before)) this.#values = [];
    if (asked !== undefined) void this.#ask(asked, wanted);
  }

  get isOpen(): boolean {
    const found = this.#found;
    const isWhole = found.length === 1 && found[0]?.text === this.#asked?.typed;
    return this.#closedFor !== this.#text && found.length > 0 && !isWhole;
  }

  get isPending(): boolean {
    return this.#asked !== undefined && this.#isAsking;
  }

  close(): void {
    this.#closedFor = this.#text;
  }

  move(by: 1 | -1): void {
    const { length } = this.#found;
    const from = this.#at ?? (by === 1 ? -1 : length);
    if (length > 0) this.#moved = (from + by + length) % length;
  }

  /** The draft with the selected value, for Enter. Undefined if Enter takes the typed text as it is. */
  get taken(): string | undefined {
    const at = this.#at;
    return at === undefined ? undefined : this.#textWith(at)?.trimEnd();
  }

  get completed(): string | undefined {
    return this.#textWith(this.#at ?? 0);
  }

  rows(look: Look, room: number): readonly string[] {
    const at = this.#at;
    const items = this.#found.map(({ text, about }) => ({ name: text, about }));
    const takes = at === undefined ? '' : `, ${hintKeyMapper(look, 'list')('Enter')} runs the command with it`;
    const hint = `  ${hintKeyMapper(look, 'composer')('Tab')} completes${takes}`;
    const more = 'up and down, or type';
    const whole = popupRows(items, { at, more, room: Infinity }, look);
    if (whole.length >= room) return popupRows(items, { at, more, room }, look);
    return [...whole, drawCutRow([styled(hint, dimStyle)], look)];
  }

  /** Index of the value that Enter takes. Undefined if the user may mean the typed text as it is. */
  get #at(): number | undefined {
    const { asked, first } = { asked: this.#asked, first: this.#found[0] };
    if (this.#moved !== undefined || asked === undefined || first === undefined) return this.#moved;
    const isMeant = asked.typed !== '' && hasOnlyListedValues(asked.kind) && begins(first, asked.typed);
    return isMeant ? 0 : undefined;
  }

  #textWith(at: number): string | undefined {
    const value = this.#found[at];
    return value === undefined || this.#asked === undefined ? undefined : withArgument(this.#asked, value.text);
  }

  /** Exact matches, then those that begin with the typed text, then those that contain it (threads: their words too). */
  get #found(): readonly ArgumentValue[] {
    const asked = this.#asked;
    if (asked === undefined) return [];
    const { typed, kind } = asked;
    const rank = (value: ArgumentValue): number => {
      if (value.text === typed) return 0;
      if (begins(value, typed)) return 1;
      const words = kind === 'thread' ? `${value.text} ${value.about}` : value.text;
      return !isPath(asked) && words.toLowerCase().includes(typed.toLowerCase()) ? 2 : 3;
    };
    const ranked = this.#values.map((value) => ({ value, rank: rank(value) })).filter((each) => each.rank < 3);
    return ranked.toSorted((one, other) => one.rank - other.rank).map(({ value }) => value);
  }

  async #ask(asked: ArgumentAtCursor, wanted: string): Promise<void> {
    this.#isAsking = true;
    const values = await this.#valuesOf(asked);
    if (wanted !== this.#askedFor) return;
    this.#isAsking = false;
    this.#values = values;
    this.#changed();
  }
}

const begins = ({ text }: ArgumentValue, typed: string): boolean => text.toLowerCase().startsWith(typed.toLowerCase());
const isPath = ({ kind }: ArgumentAtCursor): boolean => kind === 'file' || kind === 'folder';

const placeOf = (asked: ArgumentAtCursor | undefined): string =>
  asked === undefined ? '' : [asked.command, ...asked.before].join('\n');

/** Capstan reuses the values while this key stays the same. Paths depend on the typed text, other values do not. */
const whatIsAsked = (asked: ArgumentAtCursor): string => `${placeOf(asked)}\n${isPath(asked) ? asked.typed : ''}`;
