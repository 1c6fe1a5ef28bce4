import type { Step } from '../../../core/envelope/envelope.ts';
import { historyEntries } from '../../../core/history/history.ts';
import { leftOutMedia, unsupportedMedia } from '../../../core/history/media-parts.ts';
import { itemLine } from '../../../core/state/drafts/item-lines.ts';
import { modelItem } from '../../../core/state/recorded/conversation-items.ts';
import type { ModelEvent, ModelFailure } from '../../../ports/model.ts';
import { isCall, isMessage, isReasoning, type Item, messageText } from '../../../protocol/item.ts';
import { Fault } from '../../../protocol/outcome.ts';
import { findCall, StepCalls } from '../calls/calls.ts';
import { contextWindowNow } from '../context/turn-contract.ts';
import { adoptServerWindow } from '../context/window-use.ts';
import { recordTurnItem } from '../record/record-items.ts';
import { recordRateLimits, recordOverflow, recordSpent, recordUsage } from '../record/record-usage.ts';
import { ModelExchange } from '../request/model-exchange.ts';
import { requestOptions, type RequestToSend, type RetryCount, askWithRetries } from '../request/model-request.ts';
import type { Turn } from '../thread-parts.ts';

/** `lastMessage`: the model's last message in the step. */
export type StepAnswer = (
  | { readonly kind: 'go-on' }
  | { readonly kind: 'done' | 'aborted' }
  /** A call waits for an answer that this process will not get. */
  | { readonly kind: 'suspended' }
  | { readonly kind: 'failed'; readonly failure: ModelFailure; readonly bytes?: number }
) & { readonly lastMessage?: string };

export async function runModelStep(turn: Turn, step: Step): Promise<StepAnswer> {
  let said: Pick<StepAnswer, 'lastMessage'> = {};
  const attemptOnce = async (attempt: number, retries: RetryCount): Promise<StepAnswer> => {
    const next: StepAnswer = { ...said, ...(await ask(turn, step, { attempt, retries })) };
    // Messages recorded before an attempt failed still count.
    if (next.lastMessage !== undefined) said = { lastMessage: next.lastMessage };
    return next;
  };
  const failureOf = (next: StepAnswer) => (next.kind === 'failed' ? next.failure : undefined);
  const answer = await askWithRetries(turn, attemptOnce, { failureOf, most: turn.parts.streamMaxRetries });
  return turn.signal.aborted && answer.kind !== 'suspended' ? { ...answer, kind: 'aborted' } : answer;
}

async function ask(turn: Turn, step: Step, tried: Pick<RequestToSend, 'attempt' | 'retries'>): Promise<StepAnswer> {
  const { signal, envelope, parts } = turn;
  const { modalities } = envelope.capabilities;
  const options = requestOptions(turn, envelope);
  const about = { step, ...tried, by: envelope, provider: parts.provider, options, tools: step.tools, modalities };
  const request = await ModelExchange.begin(turn, { ...about, form: 'stream' });
  if ('code' in request) return { kind: 'failed', failure: request };
  await tellLeftOut(turn);
  const calls = new StepCalls(turn, step);
  const previews = new AnswerPreviews(turn);
  let answer: StepAnswer = { kind: 'done' };
  let lastMessage: string | undefined;
  const images: (string | undefined)[] = [];
  try {
    for await (const event of request.answer(signal)) {
      if (event.kind === 'text-delta') turn.effects.prepareEnd();
      if (event.kind === 'text-delta' || event.kind === 'reasoning-delta') previews.delta(event);
      if (event.kind === 'item') {
        const received = named(turn, previews.named(event.item));
        const item = received.type === 'image_generation_call' ? received : recordItem(turn, received);
        if (item.type === 'image_generation_call')
          images.push(await (await import('./generated-images.ts')).recordImage(turn, item));
        if (isCall(item)) calls.start(item);
        if (isMessage(item) && item.role === 'assistant') lastMessage = messageText(item);
      }
      if (event.kind === 'rate-limits') turn.memory.rateLimits = event.limits;
      if (event.kind === 'failed') {
        recordSpent(turn, event.spent);
        recordRateLimits(turn);
        answer = { kind: 'failed', failure: event.failure, bytes: request.bytes };
      }
      if (event.kind === 'completed') {
        recordUsage(turn, step, { counted: event.usage, spent: event.spent });
        answer = calls.count > 0 || event.endTurn === false ? { kind: 'go-on' } : { kind: 'done' };
      }
    }
    previews.end();
    turn.memory.shownPart = signal.aborted && previews.hasPart;
    await calls.finish();
    // After all outputs: nothing may come between a call and its own.
    if (images.length > 0) (await import('./generated-images.ts')).reportSavedImages(turn, images);
  } catch (error) {
    if (error instanceof Fault) throw error;
    // No call may still run during the next turn, and results must be recorded.
    previews.end();
    await calls.finish();
    request.end({ outcome: 'failed', calls: calls.count });
    throw error;
  }
  if (signal.aborted) answer = { kind: 'aborted' };
  const failure = answer.kind === 'failed' ? answer.failure : undefined;
  const { effective: assumed } = contextWindowNow(turn);
  request.end({ outcome: answer.kind, calls: calls.count, failure });
  if (calls.isSuspended) answer = { kind: 'suspended' };
  if (answer.kind === 'failed' && answer.failure.code === 'context-window-exceeded') {
    adoptServerWindow(turn, assumed);
    recordOverflow(turn, step);
  }
  return lastMessage === undefined ? answer : { ...answer, lastMessage };
}

/** The projection of the request has found them. Loaded on use. */
async function tellLeftOut(turn: Turn): Promise<void> {
  const { log, envelope } = turn;
  const left = leftOutMedia(historyEntries(log.state.history), unsupportedMedia(envelope.capabilities.modalities));
  if (left.length > 0) (await import('../request/request-warnings.ts')).warnOfLeftOutMedia(turn, envelope, left);
}

/** Adds a missing id; replaces the id of a call if it is taken. */
function named(turn: Turn, received: Item): Item {
  const { ids } = turn.parts;
  const { type, id, ...rest } = received;
  const prefix = itemIdPrefixes[type] ?? 'it';
  const item: Item = id === undefined ? { type, id: `${prefix}_${ids.uuid()}`, ...rest } : received;
  // Questions, answers and outputs name their call: two calls with one id would share them.
  const isUsed = isCall(item) && findCall(turn.log.state.history, item.call_id) !== undefined;
  return isUsed ? { ...item, call_id: `call_${ids.uuid()}` } : item;
}

function recordItem(turn: Turn, item: Item): Item {
  const { log, turnId } = turn;
  const shown = modelItem(item, 0);
  if (shown !== undefined) {
    recordTurnItem(turn, shown);
    log.tell({ kind: 'item-completed', turnId, item: shown });
  }
  log.record(itemLine(item, { family: 'model' }, turnId));
  return item;
}

const itemIdPrefixes: Readonly<Record<string, string>> = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  custom_tool_call: 'ctc',
  image_generation_call: 'ig',
};

type Delta = Extract<ModelEvent, { kind: 'text-delta' | 'reasoning-delta' }>;
const previewIdPrefixes: Readonly<Record<Delta['kind'], string>> = { 'text-delta': 'msg', 'reasoning-delta': 'rs' };

/**
 * Shows an answer while it arrives. Every item that was begun is completed, or dropped when the answer ends. An item
 * whose first piece no subscriber wanted is not begun later: the later pieces are not the whole item.
 */
class AnswerPreviews {
  readonly #turn: Pick<Turn, 'log' | 'parts' | 'turnId'>;
  readonly #begun = new Set<string>();
  readonly #unwanted = new Set<string>();
  readonly #shown = new Set<string>();
  /** Ids for messages and thoughts that the server does not name. */
  readonly #ownIds = new Map<Delta['kind'], string>();

  constructor(turn: Pick<Turn, 'log' | 'parts' | 'turnId'>) {
    this.#turn = turn;
  }

  delta(event: Delta): void {
    const { log, turnId } = this.#turn;
    const name = event.itemId === '' ? event.kind : event.itemId;
    if (event.delta === '' || this.#unwanted.has(name)) return;
    if (!log.subscribers.wantPreviews) return void this.#unwanted.add(name);
    const itemId = event.itemId === '' ? this.#ownId(event.kind) : event.itemId;
    this.#begun.add(itemId);
    if (event.kind === 'text-delta' && event.delta.trim() !== '') this.#shown.add(itemId);
    const about = { provisional: true, turnId, itemId, text: event.delta } as const;
    log.subscribers.preview(
      event.kind === 'text-delta' ? { ...about, kind: 'text' } : { ...about, kind: 'reasoning', part: event.part },
    );
  }

  /** True if the beginning of a message was shown, but the whole has not come. */
  get hasPart(): boolean {
    return this.#shown.size > 0;
  }

  /** The completed item under the id of its preview. */
  named(item: Item): Item {
    const kind = isMessage(item) ? 'text-delta' : isReasoning(item) ? 'reasoning-delta' : undefined;
    const isUnnamed = item['id'] === undefined && kind !== undefined;
    const id = isUnnamed ? this.#ownIds.get(kind) : undefined;
    this.#shown.delete(String(id ?? item['id']));
    if (isUnnamed) {
      // The next item without an id is another one.
      this.#unwanted.delete(kind);
      this.#ownIds.delete(kind);
    }
    const { type, ...rest } = item;
    return id === undefined ? item : { type, id, ...rest };
  }

  #ownId(kind: Delta['kind']): string {
    const id = this.#ownIds.get(kind) ?? `${previewIdPrefixes[kind]}_${this.#turn.parts.ids.uuid()}`;
    this.#ownIds.set(kind, id);
    return id;
  }

  /** The answer is over: items not recorded by now never will be. */
  end(): void {
    this.#turn.log.dropPreviews((itemId) => this.#begun.has(itemId));
  }
}
