import { errorWords } from '../../../protocol/error-words.ts';
import type { ThreadId } from '../../../protocol/ids.ts';
import {
  arrayAt,
  isJsonObject,
  type Json,
  type JsonObject,
  numberAt,
  objectAt,
  stringAt,
} from '../../../protocol/json.ts';
import { defined } from '../../../protocol/defined.ts';
import type { QueuedMessages } from '../../engine/queued-messages.ts';
import { type Draft, type DraftElement, draftOf, type DraftPayload } from '../composer/draft.ts';
import { clean } from '../text/clean.ts';

interface KeptQueueParts {
  readonly files: QueuedMessages;
  notice(text: string, level: 'warning'): void;
}

/** The messages that wait, as the home keeps them for the thread that they wait for. */
export class KeptQueue {
  readonly #parts: KeptQueueParts;
  #id: ThreadId | undefined;
  #saved: readonly Draft[] = [];
  #isRefused = false;
  #isClosed = false;

  constructor(parts: KeptQueueParts) {
    this.#parts = parts;
  }

  /** How many the home has. */
  get count(): number {
    return this.#isRefused ? 0 : this.#saved.length;
  }

  /** The conversation has this thread from now on. Gives what waited for it when a process ended. */
  open(id: ThreadId): readonly Draft[] {
    if (id === this.#id) return [];
    const { files } = this.#parts;
    // What still waits goes with the user, and is saved anew.
    this.save([]);
    this.#id = id;
    return files.load(id).flatMap((each) => readDraft(each) ?? []);
  }

  save(drafts: readonly Draft[]): void {
    const id = this.#id;
    const isSame = drafts.length === this.#saved.length && drafts.every((draft, at) => draft === this.#saved[at]);
    if (id === undefined || this.#isClosed || isSame) return;
    this.#saved = drafts;
    try {
      this.#parts.files.save(id, drafts.map(writtenDraft));
      this.#isRefused = false;
    } catch (error) {
      // Once is enough.
      if (!this.#isRefused) this.#parts.notice(notKept(errorWords(error)), 'warning');
      this.#isRefused = true;
    }
  }

  /** The terminal is being closed: what ends with it takes nothing away. */
  close(): void {
    this.#isClosed = true;
  }
}

function notKept(why: string): string {
  return `Queued messages cannot be kept in the home: ${why} They are lost if the terminal is closed before they are sent.`;
}

function writtenDraft({ text, elements }: Draft): JsonObject {
  return { text, elements: elements.map(({ start, end, payload }) => ({ start, end, payload: { ...payload } })) };
}

/** Undefined: it is no draft. One whose elements make no sense is its text. */
function readDraft(value: JsonObject): Draft | undefined {
  const text = stringAt(value, 'text');
  if (text === undefined || text.trim() === '') return undefined;
  const draft = draftOf(clean(text));
  const elements = (arrayAt(value, 'elements') ?? []).map(readElement);
  let at = 0;
  const isSound = elements.every((each) => {
    const follows = each !== undefined && each.start >= at && each.end > each.start && each.end <= text.length;
    at = each?.end ?? at;
    return follows;
  });
  return isSound && draft.text === text ? { ...draft, elements: elements as readonly DraftElement[] } : draft;
}

function readElement(value: Json): DraftElement | undefined {
  if (!isJsonObject(value)) return undefined;
  const [start, end, payload] = [
    numberAt(value, 'start'),
    numberAt(value, 'end'),
    readPayload(objectAt(value, 'payload')),
  ];
  const isPlace = Number.isSafeInteger(start) && Number.isSafeInteger(end);
  return isPlace && payload !== undefined ? { start: start!, end: end!, payload } : undefined;
}

function readPayload(payload: JsonObject | undefined): DraftPayload | undefined {
  const [text, source] = [stringAt(payload, 'text'), stringAt(payload, 'source')];
  switch (payload?.['kind']) {
    case 'paste':
      return text === undefined ? undefined : { kind: 'paste', text };
    case 'image':
      return source === undefined ? undefined : { kind: 'image', source };
    case 'mention':
      return text === undefined
        ? undefined
        : { kind: 'mention', text, ...defined({ path: stringAt(payload, 'path') }) };
    default:
      return undefined;
  }
}
