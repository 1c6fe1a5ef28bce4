import type { InputWriter } from '../../protocol/input-writer.ts';
import type { Item } from '../../protocol/item.ts';
import type { Prompt } from '../../ports/prompt.ts';
import { Messages } from './messages.ts';

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
