import type { Prompt } from '../../../ports/model.ts';
import type { Item } from '../../../protocol/item.ts';
import type { InputWriter } from '../../../protocol/user-input.ts';
import { developerWords, engineTextInBorders } from '../speaker-borders.ts';
import { type ProjectedItem, projectForMessages, textBlock, wireCallId } from './projection.ts';

/** Blocks that no mark reaches any more are encoded together, so that a body has few pieces. */
const pieceLength = 64 * 1024;

const given = { lead: '', text: '' } as const;

/** The newest messages that began with a certain item, kept to be extended. */
interface EncodedMessages {
  readonly items: Item[];
  readonly writers: (InputWriter | undefined)[];
  readonly messages: Messages;
  /** The bytes of the first blocks; they never change. */
  readonly pieces: Buffer[];
  /** How many blocks these are. */
  encoded: number;
}

export interface MessagesParts {
  readonly system: readonly string[];
  /** The members of `messages`, commas between them. */
  readonly pieces: readonly Uint8Array[];
  readonly startsUnthought: boolean;
  readonly callsUnthought: boolean;
}

/** The part of a prompt that becomes messages. */
type WrittenInput = Pick<Prompt, 'input' | 'writers'>;

/** Marks the end of what a provider should keep for the next request. */
export const cacheControl = '"cache_control":{"type":"ephemeral"}';

/**
 * Encodes histories. One that continues from the one before costs what is new to it; any other is encoded as if it were
 * the first. Blocks are placed once. Only the marks of the cache move: they stand where the newest two turns of the
 * user end, and the request before had one at the first of these.
 */
export function messagesEncoder(isMarked: boolean): (input: WrittenInput, lastWords?: string) => MessagesParts {
  const known = new WeakMap<Item, EncodedMessages>();
  return ({ input, writers = noOtherWriters }, lastWords) => {
    const first = input[0];
    const found = first === undefined ? undefined : known.get(first);
    const encoded = found !== undefined && continues(found, input, writers) ? found : emptyMessages(isMarked);
    if (first !== undefined) known.set(first, encoded);
    const { items, messages } = encoded;
    for (let index = items.length; index < input.length; index++) {
      const writer = writers.get(input[index]!);
      items.push(input[index]!);
      encoded.writers.push(writer);
      messages.add(input[index]!, writer);
    }
    const { system, startsUnthought, callsUnthought } = messages;
    return { system: [...system], pieces: piecesOf(encoded, lastWords), startsUnthought, callsUnthought };
  };
}

const noOtherWriters: ReadonlyMap<Item, InputWriter> = new Map();

function emptyMessages(isMarked: boolean): EncodedMessages {
  return { items: [], writers: [], messages: new Messages(isMarked), pieces: [], encoded: 0 };
}

function continues(before: EncodedMessages, now: readonly Item[], writers: ReadonlyMap<Item, InputWriter>): boolean {
  return (
    before.items.length <= now.length &&
    before.items.every((item, index) => Object.is(item, now[index]) && writers.get(item) === before.writers[index])
  );
}

function piecesOf(state: EncodedMessages, lastWords: string | undefined): readonly Uint8Array[] {
  const { messages, pieces } = state;
  const { blocks, cacheMarks } = messages;
  encodeUpTo(state, cacheMarks[0] ?? 0);
  const open = blocks.slice(state.encoded).map(({ lead, text }, index) => {
    const isMarked = cacheMarks.includes(state.encoded + index);
    return isMarked ? `${lead}${text.slice(0, -1)},${cacheControl}}` : lead + text;
  });
  const ending = messages.ending(lastWords).map(({ lead, text }) => lead + text);
  return [...pieces, Buffer.from(`${[...open, ...ending].join('')}]}`, 'utf8')];
}

/** Encodes blocks before this one as soon as they fill a piece. */
function encodeUpTo(state: EncodedMessages, end: number): void {
  const { blocks } = state.messages;
  let [from, length] = [state.encoded, 0];
  for (let index = from; index < end; index++) {
    length += blocks[index]!.text.length;
    if (length < pieceLength) continue;
    const texts = blocks.slice(from, index + 1).map(({ lead, text }) => lead + text);
    state.pieces.push(Buffer.from(texts.join(''), 'utf8'));
    // Their bytes are there: the texts are not held a second time.
    for (let at = from; at <= index; at++) blocks[at] = given;
    [from, length] = [index + 1, 0];
  }
  state.encoded = from;
}

type Speaker = 'user' | 'assistant';

/** A block and what stands before it: a comma, or the end of a message and the beginning of the next. */
interface PlacedBlock {
  readonly lead: string;
  /** Ends in the brace that closes it. */
  readonly text: string;
}

const wordsBefore = '[What came before was left out.]';
const wordsToContinue = 'Continue.';
const missingResult = JSON.stringify('[The result of this call was left out.]');

/**
 * Builds the messages of a request, item after item: messages alternate, a user speaks first, and all results of a step
 * stand together, first in the message after their calls. What has been placed stays where it is, so that the messages
 * of a longer history begin with those of a shorter one whose calls have their results.
 */
export class Messages {
  /** The texts of the engine at the very beginning. */
  readonly system: string[] = [];
  readonly blocks: PlacedBlock[] = [];
  /** Places in `blocks` where what the user said or tools gave ends, before the model speaks. */
  readonly #userEnds: number[] = [];
  #isBeginning = true;
  #speaker: Speaker | undefined;
  /** Whether the newest message of the model begins with its thinking, and whether it calls a tool. */
  #newest = { thinks: false, calls: false };
  /**
   * Whether the first message of the model began with its thinking, of those since the user last spoke without results:
   * a model thinks at least before the first of a row of calls, or not in all of that row.
   */
  #startsThought = false;
  /** Whether the newest message of the user holds results. */
  #hasResults = false;
  /** Calls without a result, by the ids that history has: to the id on the wire. */
  #open = new Map<string, string>();
  /** Ids on the wire that are taken. */
  #used = new Set<string>();
  /** Results have come, and not all of them: everything else waits for the rest. */
  #isAnswering = false;
  #waiting: ProjectedItem[] = [];
  /** Stands before what the model says next: a message must not end in it. */
  #thinking: string[] = [];

  /** Whether all that is not the user's has a tag around it. */
  readonly #isMarked: boolean;

  constructor(isMarked: boolean) {
    this.#isMarked = isMarked;
  }

  add(item: Item, writer: InputWriter | undefined): void {
    this.#take(projectForMessages(item, { isMarked: this.#isMarked, writer }));
  }

  /** What a request needs behind these blocks to be taken, and its last words if it has some. Items may come instead. */
  ending(lastWords: string | undefined): readonly PlacedBlock[] {
    if (this.#open.size === 0 && this.#speaker === 'user' && lastWords === undefined) return [];
    const rest = this.#continued();
    // What waited for a result may bring calls of its own.
    for (let [id] = rest.#open.keys(); id !== undefined; [id] = rest.#open.keys()) {
      rest.#take({ kind: 'result', id, content: missingResult, stray: () => [] });
    }
    // The model is asked for an answer, not for the rest of one that it began.
    if (lastWords !== undefined)
      rest.#place('user', textBlock(this.#isMarked ? engineTextInBorders(lastWords) : lastWords));
    else if (rest.#speaker !== 'user') rest.#place('user', textBlock(wordsToContinue));
    return rest.blocks;
  }

  /** What continues from here, without the blocks that are there. */
  #continued(): Messages {
    const rest = new Messages(this.#isMarked);
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

  /** Whether the model goes on from calls, and did not think before the first of them. */
  get startsUnthought(): boolean {
    return this.#newest.calls && !this.#startsThought;
  }

  /** Whether the model goes on from calls that it made without thinking right before them, as requests had it before. */
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
    this.#place('user', content === undefined ? `${named}}` : `${named},"content":${content}}`, 'result');
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
        for (const text of projected.texts) this.#place('user', textBlock(this.#engineWords(text)));
        return;
      // A result that no call waits for is still something that the model should know.
      case 'result':
        for (const block of projected.stray()) this.#place('user', block);
        return;
      case 'user':
      case 'assistant':
        for (const block of projected.blocks) this.#place(projected.kind === 'assistant' ? 'assistant' : 'user', block);
        return;
      case 'thinking':
        this.#thinking.push(projected.block);
        return;
      case 'call': {
        // Two under one name, and neither has its result: they cannot be told apart.
        if (this.#open.has(projected.id)) return;
        const id = this.#freeId(wireCallId(projected.id));
        this.#open.set(projected.id, id);
        const named = `{"type":"tool_use","id":${JSON.stringify(id)},"name":${JSON.stringify(projected.name)}`;
        this.#place('assistant', `${named},"input":${projected.input}}`);
        this.#newest.calls = true;
      }
    }
  }

  #engineWords(text: string): string {
    return this.#isMarked ? engineTextInBorders(text) : developerWords(text);
  }

  /** Two calls of one name would share their results. */
  #freeId(wanted: string): string {
    let id = wanted;
    for (let number = 2; this.#used.has(id); number++) id = `${wanted}-${number}`;
    this.#used.add(id);
    return id;
  }

  #place(speaker: Speaker, text: string, what: 'result' | 'other' = 'other'): void {
    const isResult = what === 'result';
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

  /** The places in `blocks` where the newest two turns of the user end: the request before this one ended at one. */
  get cacheMarks(): readonly number[] {
    const last = this.#speaker === 'user' ? [this.blocks.length - 1] : [];
    return [...this.#userEnds.slice(-2), ...last].slice(-2);
  }
}
