import type { CompactAnswer, ModelFailure, ModelRequest } from '../../../ports/model.ts';
import { arrayAt, objectAt, parseJsonObject } from '../../../protocol/json.ts';
import { answerTooLarge, bodyEndFailure, formatMegabytes } from '../http/failures/answer-failure.ts';
import { sendModelRequest, type ProviderConnection, answerLimits } from '../http/send-question.ts';
import { parseServerItem } from './encode.ts';
import { failed, modelFailure } from '../http/failures/model-failure.ts';
import { type AnswerContext, httpFailure } from '../http/failures/http-failure.ts';
import { readWholeBody } from '../http/network/response-body.ts';
import type { OpenAnswer } from '../http/open-answer.ts';
import { usageFromWire } from './decode.ts';

/** Factor for the idle timeout: nothing comes until the whole checkpoint is made. */
const patience = 4;

/** Posts to `{base}/responses/compact`, whose answer comes in one piece. */
export async function compactRemotely(
  request: ModelRequest,
  signal: AbortSignal,
  connection: ProviderConnection,
): Promise<CompactAnswer> {
  const { wire, options } = connection;
  const { provider, clock } = options;
  const { maxBytes } = answerLimits(options, request);
  const idleMs = patience * provider.streamIdleTimeoutMs;
  const question = { endpoint: 'responses/compact', wants: 'json', idleMs, signal } as const;
  const { opened, hide } = await sendModelRequest(connection, request, question);
  const answer =
    opened.kind === 'failed' ? opened : await read(opened, { idleMs, now: clock.now(), api: wire.api, maxBytes });
  return answer.kind === 'failed' ? failed(hide(answer.failure)) : answer;
}

async function read(
  { body, status, headers }: OpenAnswer,
  { idleMs, maxBytes, ...place }: AnswerContext & { readonly idleMs: number; readonly maxBytes: number },
): Promise<CompactAnswer> {
  const whole = await readWholeBody(body, { idleMs, maxBytes });
  if (whole.kind === 'large') return failed(answerTooLarge(formatMegabytes(maxBytes)));
  if (whole.kind !== 'whole') return failed(bodyEndFailure(whole, { idleMs }));
  const { text } = whole;
  const answer = parseJsonObject(text);
  if (answer === undefined) return failed(unreadable('is not a JSON object'));
  const output = arrayAt(answer, 'output');
  // Some servers report an error under a success status.
  if (output === undefined && objectAt(answer, 'error') !== undefined)
    return failed(httpFailure({ status, headers, body: text }, place));
  if (output === undefined) return failed(unreadable('has no list of items in "output"'));
  const items = output.map(parseServerItem);
  if (!items.every((item) => item !== undefined))
    return failed(unreadable('has something in "output" that is not an item'));
  return { kind: 'compacted', output: items, usage: usageFromWire(objectAt(answer, 'usage')) };
}

function unreadable(what: string): ModelFailure {
  const message = `The answer to the checkpoint request ${what}.`;
  const next =
    'Check that the base URL belongs to a provider that can compact, or set compaction.strategy to "structured".';
  return modelFailure({ cause: 'request', message, next });
}
