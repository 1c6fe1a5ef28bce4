import type { QueuedMessages } from '../../../engine/store/home-store.ts';
import { messageOfThrown } from '../../../protocol/display-text.ts';
import type { ThreadId } from '../../../protocol/ids.ts';
import { arrayAt, isJsonObject, numberAt, objectAt, stringAt } from '../../../protocol/json.ts';
import type { Json, JsonObject } from '../../../protocol/json.ts';
import { draftMessageText } from '../draft/draft-message.ts';
import { type Draft, type DraftElement, draftFromText, type DraftPayload } from '../draft/draft.ts';
import { cleanText } from '../screen/text/clean-text.ts';

export interface PendingSteer {
  readonly draft: Draft;
  /** The engine's id of an accepted message. Undefined: the engine did not accept it. */
  readonly accepted: Promise<string | undefined>;
}

/**
 * Messages that the user sent and the model has not read: steers for the running turn, refused steers, which go first
 * when it ends, and drafts that each wait for a turn. A draft is parsed only when its turn comes: it may be a command.
 */
export class WaitingMessages {
  steers: readonly PendingSteer[] = [];
  refused: readonly Draft[] = [];
  queued: readonly Draft[] = [];

  steer(steer: PendingSteer): void {
    this.steers = [...this.steers, steer];
  }

  /** Removes the oldest waiting message with these words: the model has it. */
  read(words: string): void {
    const at = this.steers.findIndex(({ draft }) => draftMessageText(draft) === words);
    if (at !== -1) this.steers = this.steers.toSpliced(at, 1);
  }

  dropSteer(steer: PendingSteer): void {
    this.steers = this.steers.filter((each) => each !== steer);
  }

  refuse(draft: Draft): void {
    this.refused = [...this.refused, draft];
  }

  queue(draft: Draft): void {
    this.queued = [...this.queued, draft];
  }

  takeRefused(): readonly Draft[] {
    const drafts = this.refused;
    this.refused = [];
    return drafts;
  }

  takeAt(at: number): Draft | undefined {
    const draft = this.queued[at];
    this.queued = this.queued.filter((each) => each !== draft);
    return draft;
  }

  move(at: number, to: number): number {
    const draft = this.queued[at];
    if (draft === undefined || to < 0 || to >= this.queued.length) return at;
    this.queued = this.queued.toSpliced(at, 1).toSpliced(to, 0, draft);
    return to;
  }

  /** Empties the lists after an interrupt. Gives refused messages, then queued ones. */
  takeBack(): readonly Draft[] {
    const drafts = [...this.takeRefused(), ...this.queued];
    this.queued = [];
    return drafts;
  }
}

type KeptQueueParts = { readonly files: QueuedMessages; notice(text: string, level: 'warning'): void };

/** Waiting messages of the thread, saved in the home. */
export class KeptQueue {
  readonly #parts: KeptQueueParts;
  #id: ThreadId | undefined;
  #saved: readonly Draft[] = [];
  #isRefused = false;
  #isClosed = false;

  constructor(parts: KeptQueueParts) {
    this.#parts = parts;
  }

  get count(): number {
    return this.#isRefused ? 0 : this.#saved.length;
  }

  /** Switches to this thread. Gives the messages that waited for it when a process ended. */
  open(id: ThreadId): readonly Draft[] {
    if (id === this.#id) return [];
    // Waiting messages move with the user, and are saved again for the new thread.
    this.save([]);
    this.#id = id;
    return this.#parts.files.load(id).flatMap((each) => readDraft(each) ?? []);
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
      const text = `Queued messages cannot be kept in the home: ${messageOfThrown(error)} They are lost if the terminal is closed before they are sent.`;
      // Report repeated failures once.
      if (!this.#isRefused) this.#parts.notice(text, 'warning');
      this.#isRefused = true;
    }
  }

  /** Call when the terminal closes: messages dropped after that stay saved. */
  close(): void {
    this.#isClosed = true;
  }
}

const writtenDraft = ({ text, elements }: Draft): JsonObject => ({
  text,
  elements: elements.map(({ start, end, payload }) => ({ start, end, payload: { ...payload } })),
});

/** Undefined: not a draft. A draft with invalid elements becomes plain text. */
function readDraft(value: JsonObject): Draft | undefined {
  const text = stringAt(value, 'text');
  if (text === undefined || text.trim() === '') return undefined;
  const draft = draftFromText(cleanText(text));
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
  const [start, end] = [numberAt(value, 'start'), numberAt(value, 'end')];
  const payload = readPayload(objectAt(value, 'payload'));
  const isPlace = Number.isSafeInteger(start) && Number.isSafeInteger(end);
  return isPlace && payload !== undefined ? { start: start!, end: end!, payload } : undefined;
}

function readPayload(payload: JsonObject | undefined): DraftPayload | undefined {
  const [kind, text, source] = [payload?.['kind'], stringAt(payload, 'text'), stringAt(payload, 'source')];
  if (kind === 'image' && source !== undefined) return { kind, source };
  if (kind === 'paste' && text !== undefined) return { kind, text };
  if (kind === 'mention' && text !== undefined) return { kind, text, path: stringAt(payload, 'path') };
  return undefined;
}
