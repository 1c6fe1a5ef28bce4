import type { AnswerLimits } from '../../config/defaults.ts';
import type { CompactAnswer, ModelFailure, ModelRequest } from '../../ports/model-client.ts';
import { defined } from '../../protocol/defined.ts';
import { arrayAt, objectAt, parseJsonObject } from '../../protocol/json.ts';
import { answerTooLarge, megabytes } from '../http/answer-too-large.ts';
import { ask, limitsOf } from '../http/ask.ts';
import type { Connection } from '../http/ask.ts';
import { abortedFailure, cutFailure, idleFailure } from '../http/connection-failure.ts';
import { readableItem } from './readable-item.ts';
import { modelFailure } from '../http/failure.ts';
import { httpFailure } from '../http/http-failure.ts';
import type { OpenAnswer } from '../http/open-answer.ts';
import { usageFromWire } from './wire-usage.ts';

/** Nothing comes until all of it is made, so the silence may last longer than that of a stream. */
const patience = 4;

/** Posts to `{base}/responses/compact`, whose answer comes in one piece. */
export async function compactRemotely(
  request: ModelRequest,
  signal: AbortSignal,
  connection: Connection,
): Promise<CompactAnswer> {
  const { wire, options } = connection;
  const { provider, clock } = options;
  const limits = limitsOf(options, request);
  const idleMs = patience * provider.streamIdleTimeoutMs;
  const question = { endpoint: 'responses/compact', wants: 'json', idleMs, signal } as const;
  const { opened, hide } = await ask(connection, request, question);
  const answer =
    opened.kind === 'failed' ? opened : await read(opened, { idleMs, now: clock.now(), api: wire.api, limits });
  return answer.kind === 'failed' ? { kind: 'failed', failure: hide(answer.failure) } : answer;
}

interface Reading {
  readonly idleMs: number;
  readonly now: number;
  readonly api: string;
  readonly limits: AnswerLimits;
}

async function read({ body, status, headers }: OpenAnswer, reading: Reading): Promise<CompactAnswer> {
  const { idleMs, now, api, limits } = reading;
  const chunks: Uint8Array[] = [];
  for (let size = 0; ;) {
    const part = await body.read(idleMs);
    if (part.kind === 'chunk') {
      size += part.bytes.length;
      chunks.push(part.bytes);
      if (size <= limits.maxBytes) continue;
      body.close();
      return failed(answerTooLarge(megabytes(limits.maxBytes)));
    }
    if (part.kind === 'end') break;
    body.close();
    if (part.kind === 'aborted') return failed(abortedFailure());
    return failed(part.kind === 'idle' ? idleFailure(idleMs) : cutFailure(part.code));
  }
  const text = Buffer.concat(chunks).toString('utf8');
  const answer = parseJsonObject(text);
  if (answer === undefined) return failed(unreadable('is not a JSON object'));
  const output = arrayAt(answer, 'output');
  // Some servers report an error under a status of success.
  if (output === undefined && objectAt(answer, 'error') !== undefined) {
    return failed(httpFailure({ status, headers, body: text }, { now, api }));
  }
  if (output === undefined) return failed(unreadable('has no list of items in "output"'));
  const items = output.map(readableItem);
  if (!items.every((item) => item !== undefined))
    return failed(unreadable('has something in "output" that is no item'));
  const usage = usageFromWire(objectAt(answer, 'usage'));
  return { kind: 'compacted', output: items, ...defined({ usage }) };
}

function unreadable(what: string): ModelFailure {
  return modelFailure({
    code: 'invalid-request',
    message: `The answer to the request for a checkpoint ${what}.`,
    next: 'Check that the base URL leads to a provider that compacts, or set compaction.strategy to "structured".',
    retry: 'never',
  });
}

function failed(failure: ModelFailure): CompactAnswer {
  return { kind: 'failed', failure };
}
