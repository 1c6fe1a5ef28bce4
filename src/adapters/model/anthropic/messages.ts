import type { Item } from '../../../protocol/item.ts';
import type { InputAuthor } from '../../../protocol/user-input.ts';
import type { ItemAccumulator } from '../http/json-list-encoder.ts';
import { wrapDeveloperText, wrapEngineText } from '../user-role-content.ts';
import { type ProjectedItem, projectForMessages, textBlock, wireCallId } from './projection.ts';

/** Blocks too old for a cache mark are joined into pieces of this size, so that a body has few pieces. */
const pieceLength = 64 * 1024;
const given = { lead: '', text: '' } as const;
export const cacheControl = '"cache_control":{"type":"ephemeral"}';
type Speaker = 'user' | 'assistant';
/** A block and what precedes it: a comma, or the end of one message and the beginning of the next. */
type PlacedBlock = { readonly lead: string; readonly text: string };
const wordsBefore = '[What came before was left out.]';
const wordsToContinue = 'Continue.';
const missingResult = JSON.stringify('[The result of this call was left out.]');

/**
 * Builds the messages of a request item by item. Roles alternate, the user is first, and the results of a step come
 * first in the message after its calls. A placed block never moves, only cache marks do. So if all calls of a history
 * have results, the messages of a longer history begin with the same bytes. The newest two user turns end with marks;
 * the previous request had a mark at the first of these places, so the provider finds its cache.
 */
export class AnthropicMessages implements ItemAccumulator {
  readonly system: string[] = [];
  readonly blocks: PlacedBlock[] = [];
  /** The bytes of the first `#encoded` blocks. */
  readonly #pieces: Buffer[] = [];
  #encoded = 0;
  readonly #userEnds: number[] = [];
  #isBeginning = true;
  #speaker: Speaker | undefined;
  #newest = { thinks: false, calls: false };
  /**
   * True if the model thought before the current row of calls, which began after the last user message other than
   * results. A model thinks before the first call of a row, or not at all.
   */
  #startsThought = false;
  #hasResults = false;
  /** Calls without a result: id in the history to id on the wire. */
  #open = new Map<string, string>();
  #used = new Set<string>();
  /** Some results of a step have arrived, but not all. All other items wait until the rest has. */
  #isAnswering = false;
  #waiting: ProjectedItem[] = [];
  /** Placed before the model's next output: a message must not end in thinking. */
  #thinking: string[] = [];
  readonly #isMarked: boolean;

  constructor(isMarked: boolean) {
    this.#isMarked = isMarked;
  }

  add(item: Item, writer: InputAuthor | undefined): void {
    this.#take(projectForMessages(item, { isMarked: this.#isMarked, writer }));
  }

  /** Members of `messages`, separated by commas. `lastWords`: ends this request, and is not part of a longer history. */
  pieces(lastWords?: string): readonly Uint8Array[] {
    const marks = this.cacheMarks;
    this.#encodeUpTo(marks[0] ?? 0);
    const open = this.blocks.slice(this.#encoded).map(({ lead, text }, index) => {
      const isMarked = marks.includes(this.#encoded + index);
      return isMarked ? `${lead}${text.slice(0, -1)},${cacheControl}}` : lead + text;
    });
    const ending = this.#ending(lastWords).map(({ lead, text }) => lead + text);
    return [...this.#pieces, Buffer.from(`${[...open, ...ending].join('')}]}`, 'utf8')];
  }

  #encodeUpTo(end: number): void {
    let [from, length] = [this.#encoded, 0];
    for (let index = from; index < end; index++) {
      length += this.blocks[index]!.text.length;
      if (length < pieceLength) continue;
      const texts = this.blocks.slice(from, index + 1).map(({ lead, text }) => lead + text);
      this.#pieces.push(Buffer.from(texts.join(''), 'utf8'));
      // Their bytes are kept: do not hold the texts a second time.
      for (let at = from; at <= index; at++) this.blocks[at] = given;
      [from, length] = [index + 1, 0];
    }
    this.#encoded = from;
  }

  /** Blocks that make this request valid. They are not kept: a longer history has real items in their place. */
  #ending(lastWords: string | undefined): readonly PlacedBlock[] {
    if (this.#open.size === 0 && this.#speaker === 'user' && lastWords === undefined) return [];
    const rest = this.#continued();
    // Items that waited for a result may contain calls of their own.
    for (let [id] = rest.#open.keys(); id !== undefined; [id] = rest.#open.keys())
      rest.#take({ kind: 'result', id, content: missingResult, stray: () => [] });
    // Ask for a new answer, not for the rest of one that the model began.
    if (lastWords !== undefined) rest.#place('user', textBlock(this.#isMarked ? wrapEngineText(lastWords) : lastWords));
    else if (rest.#speaker !== 'user') rest.#place('user', textBlock(wordsToContinue));
    return rest.blocks;
  }

  #continued(): AnthropicMessages {
    const rest = new AnthropicMessages(this.#isMarked);
    rest.#isBeginning = this.#isBeginning;
    rest.#speaker = this.#speaker;
    rest.#newest = { ...this.#newest };
    rest.#startsThought = this.#startsThought;
    rest.#hasResults = this.#hasResults;
    rest.#open = new Map(this.#open);
    rest.#used = new Set(this.#used);
    rest.#isAnswering = this.#isAnswering;
    rest.#waiting = [...this.#waiting];
    rest.#thinking = [...this.#thinking];
    return rest;
  }

  /** True if the model continues from calls and did not think before the first of them. */
  get startsUnthought(): boolean {
    return this.#newest.calls && !this.#startsThought;
  }

  /** True if the model continues from calls that it did not think right before; older encoder revisions used this. */
  get callsUnthought(): boolean {
    return this.#newest.calls && !this.#newest.thinks;
  }

  #take(projected: ProjectedItem): void {
    if (projected.kind === 'nothing') return;
    if (projected.kind === 'developer' && this.#isBeginning) {
      this.system.push(...projected.texts);
      return;
    }
    this.#isBeginning = false;
    if (projected.kind === 'result' && this.#open.has(projected.id)) return this.#answer(projected);
    const isOfUser = projected.kind === 'user' || projected.kind === 'developer' || projected.kind === 'result';
    if (this.#open.size > 0 && (isOfUser || this.#isAnswering)) this.#waiting.push(projected);
    else this.#put(projected);
  }

  #answer({ id, content }: Extract<ProjectedItem, { kind: 'result' }>): void {
    const named = `{"type":"tool_result","tool_use_id":${JSON.stringify(this.#open.get(id))}`;
    this.#place('user', content === undefined ? `${named}}` : `${named},"content":${content}}`, true);
    this.#open.delete(id);
    this.#isAnswering = this.#open.size > 0;
    if (this.#isAnswering) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const projected of waiting) this.#take(projected);
  }

  #put(projected: Exclude<ProjectedItem, { kind: 'nothing' }>): void {
    switch (projected.kind) {
      case 'developer':
        for (const text of projected.texts)
          this.#place('user', textBlock(this.#isMarked ? wrapEngineText(text) : wrapDeveloperText(text)));
        return;
      // A result without a waiting call is still information for the model.
      case 'result':
        for (const block of projected.stray()) this.#place('user', block);
        return;
      case 'user':
      case 'assistant':
        for (const block of projected.blocks) this.#place(projected.kind, block);
        return;
      case 'thinking':
        this.#thinking.push(projected.block);
        return;
      case 'call': {
        // Two open calls under one id cannot be told apart.
        if (this.#open.has(projected.id)) return;
        const id = this.#freeId(wireCallId(projected.id));
        this.#open.set(projected.id, id);
        const named = `{"type":"tool_use","id":${JSON.stringify(id)},"name":${JSON.stringify(projected.name)}`;
        this.#place('assistant', `${named},"input":${projected.input}}`);
        this.#newest.calls = true;
      }
    }
  }

  /** Two calls with one id would share their results. */
  #freeId(wanted: string): string {
    let id = wanted;
    for (let number = 2; this.#used.has(id); number++) id = `${wanted}-${number}`;
    this.#used.add(id);
    return id;
  }

  #place(speaker: Speaker, text: string, isResult = false): void {
    const thinking = this.#thinking;
    this.#thinking = [];
    if (this.#speaker === undefined && speaker === 'assistant') this.#place('user', textBlock(wordsBefore));
    const isNew = this.#speaker !== speaker;
    if (isNew && speaker === 'assistant') {
      this.#userEnds.push(this.blocks.length - 1);
      this.#newest = { thinks: thinking.length > 0, calls: false };
      if (!this.#hasResults) this.#startsThought = thinking.length > 0;
    }
    if (speaker === 'user') this.#hasResults = isNew ? isResult : this.#hasResults || isResult;
    for (const block of speaker === 'assistant' ? [...thinking, text] : [text]) {
      this.blocks.push({ lead: this.#lead(speaker), text: block });
      this.#speaker = speaker;
    }
  }

  #lead(speaker: Speaker): string {
    if (this.#speaker === speaker) return ',';
    const opening = `{"role":"${speaker}","content":[`;
    return this.#speaker === undefined ? opening : `]},${opening}`;
  }

  /** Indexes in `blocks` of the ends of the newest two user turns: the previous request ended at one of them. */
  get cacheMarks(): readonly number[] {
    const last = this.#speaker === 'user' ? [this.blocks.length - 1] : [];
    return [...this.#userEnds.slice(-2), ...last].slice(-2);
  }
}
