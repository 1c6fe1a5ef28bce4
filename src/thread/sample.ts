import type { Step } from '../envelope/step.ts';
import { delay } from '../model/responses/backoff.ts';
import type { ModelFailure } from '../ports/model-client.ts';
import { isCall, isMessage, isReasoning, type Item, messageText } from '../protocol/item.ts';
import { addUsage } from '../protocol/usage.ts';
import { itemLine } from '../state/item-drafts.ts';
import { promptFor, readRequest, requestDrafts } from '../state/request.ts';
import { tokenCount } from '../state/turn-drafts.ts';
import { Calls } from './calls.ts';
import type { Turn } from './parts.ts';
import { recordTurnItem } from './record.ts';

/** What came of one step. `lastMessage` is the last thing the model said in it. */
export type StepAnswer = (
  | { readonly kind: 'go-on' }
  | { readonly kind: 'done' }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'failed'; readonly failure: ModelFailure }
) & { readonly lastMessage?: string };

/** Asks the model once, again while the connection fails, and does what it asks for. */
export async function sample(turn: Turn, step: Step): Promise<StepAnswer> {
  for (let attempt = 1; ; attempt++) {
    const answer = await ask(turn, step);
    if (answer.kind !== 'failed' || turn.signal.aborted)
      return turn.signal.aborted ? { ...answer, kind: 'aborted' } : answer;
    const { failure } = answer;
    if (failure.retry === 'never' || attempt > turn.parts.streamMaxRetries) return answer;
    turn.log.tell({
      kind: 'warning',
      outcome: {
        ...failure,
        message: `${failure.message} Trying again (${attempt} of ${turn.parts.streamMaxRetries}).`,
      },
    });
    await turn.parts.clock.sleep(failure.retry.afterMs ?? delay(attempt, turn.parts.random), turn.signal);
  }
}

/** One request: recorded, made durable, sent, and its answer recorded item by item. */
async function ask(turn: Turn, step: Step): Promise<StepAnswer> {
  const { parts, log, signal } = turn;
  const body = parts.encoder.body(recordRequest(turn, step));
  const durable = log.durable();
  // A lost disk is reported at the end; until then nobody may be listening.
  durable.catch(() => {});
  const calls = new Calls(turn, step);
  let answer: StepAnswer = { kind: 'done' };
  let lastMessage: string | undefined;
  for await (const event of parts.client.stream({ body, headers: headers(turn), after: durable }, signal)) {
    if (event.kind === 'item') {
      const item = recordItem(turn, event.item);
      if (isCall(item)) calls.start(item);
      if (isMessage(item) && item.role === 'assistant') lastMessage = messageText(item);
    }
    if (event.kind === 'failed') answer = { kind: 'failed', failure: event.failure };
    if (event.kind === 'completed') {
      if (event.usage !== undefined) recordUsage(turn, event.usage);
      answer = calls.any || event.endTurn === false ? { kind: 'go-on' } : { kind: 'done' };
    }
  }
  // Rejects if the lines of the request are lost. Then nothing was sent.
  await durable;
  await calls.finish();
  if (signal.aborted) answer = { kind: 'aborted' };
  return lastMessage === undefined ? answer : { ...answer, lastMessage };
}

function recordRequest({ parts, log, threadId, turnId, envelope }: Turn, step: Step) {
  const { identity, modes } = envelope;
  const drafts = requestDrafts(
    log.state,
    {
      turnId,
      step: step.index,
      encoder: parts.encoder.version,
      options: {
        model: identity.model.slug,
        ...(identity.effort === undefined ? {} : { effort: identity.effort }),
        ...(identity.summary === undefined ? {} : { summary: identity.summary }),
        ...(identity.verbosity === undefined ? {} : { verbosity: identity.verbosity }),
        ...(modes.outputSchema === undefined ? {} : { outputSchema: modes.outputSchema }),
        parallelToolCalls: true,
        cacheKey: threadId,
        labels: { session_id: threadId, thread_id: threadId, turn_id: turnId },
      },
    },
    step.tools,
  );
  log.record(...drafts);
  const record = readRequest(drafts.at(-1)!.payload);
  if (record === undefined) throw new TypeError('a request record that was just made must be readable');
  return promptFor(log.state, record);
}

/** The model's own item, as it came; only an id is added where none was given. */
function recordItem(turn: Turn, received: Item): Item {
  const { log, parts, turnId } = turn;
  const item = received['id'] === undefined ? withId(received, parts.ids.uuid()) : received;
  const shown = shownItem(item);
  if (shown !== undefined) {
    recordTurnItem(turn, shown);
    log.tell({ kind: 'item-completed', item: shown });
  }
  log.record(itemLine(item, { family: 'model' }, turnId));
  return item;
}

function shownItem(item: Item) {
  const id = String(item['id']);
  if (isMessage(item) && item.role === 'assistant') {
    const phase = typeof item['phase'] === 'string' ? { phase: item['phase'] } : {};
    return { kind: 'agent-message', id, text: messageText(item), ...phase } as const;
  }
  if (!isReasoning(item)) return undefined;
  const summary = item.summary.flatMap((part) =>
    typeof part['text'] === 'string' && part['text'].trim() !== '' ? [part['text']] : [],
  );
  return summary.length === 0 ? undefined : ({ kind: 'reasoning', id, summary } as const);
}

const prefixes: Readonly<Record<string, string>> = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  custom_tool_call: 'ctc',
};

function withId({ type, ...rest }: Item, uuid: string): Item {
  return { type, id: `${prefixes[type] ?? 'it'}_${uuid}`, ...rest };
}

function recordUsage({ log, envelope }: Turn, last: Parameters<typeof addUsage>[1]): void {
  const total = addUsage(log.state.usage.total, last);
  log.record(tokenCount({ total, last, window: envelope.window.effective }));
}

function headers({ threadId, envelope }: Turn): Readonly<Record<string, string>> {
  const { client } = envelope.identity;
  return {
    'session-id': threadId,
    'thread-id': threadId,
    'x-client-request-id': threadId,
    originator: client.name,
    'user-agent': `${client.name}/${client.version}`,
  };
}
