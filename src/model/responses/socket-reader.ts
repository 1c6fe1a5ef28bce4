import type { AnswerLimits } from '../../config/defaults.ts';
import type { ModelFailure } from '../../ports/model-client.ts';
import { type JsonObject, numberAt, objectAt, parseJsonObject, stringAt } from '../../protocol/json.ts';
import type { AnswerReader } from '../http/answer-decoder.ts';
import { headerEvents } from '../http/answer-headers.ts';
import { type AnswerPlace, httpFailure } from '../http/http-failure.ts';
import { responsesReader } from './decode.ts';

/** Codes of errors after which the same request succeeds over another connection. */
const connectionErrors: ReadonlySet<string> = new Set([
  'previous_response_not_found',
  'websocket_connection_limit_reached',
]);

export interface SocketReader extends AnswerReader {
  /** Whether the server failed the request for the sake of its connection, and of nothing in it. */
  readonly wantsOtherConnection: boolean;
}

/** Reads the messages of one answer: the events of a stream, and errors that have a status like answers over HTTP. */
export function socketReader(limits: AnswerLimits, place: () => AnswerPlace): SocketReader {
  const reader = responsesReader(limits);
  let wantsOtherConnection = false;
  return {
    event(data) {
      const said = metadataIn(data);
      if (said !== undefined) return headerEvents(said, place().now);
      const error = errorIn(data);
      if (error === undefined) return reader.event(data);
      const isForConnection = connectionErrors.has(stringAt(objectAt(error, 'error'), 'code') ?? '');
      // A key that has expired meanwhile is renewed when the next one is opened.
      wantsOtherConnection = isForConnection || statusOf(error) === 401;
      return [{ kind: 'failed', failure: failureOf(error, place()) }];
    },
    end: () => reader.end(),
    get hasError() {
      return reader.hasError === true;
    },
    get wantsOtherConnection() {
      return wantsOtherConnection;
    },
  };
}

const metadata = Buffer.from('"codex.response.metadata"');

/** What an answer over HTTP would have in its headers. */
function metadataIn(data: Buffer): Readonly<Record<string, string>> | undefined {
  if (!data.subarray(0, 200).includes(metadata)) return undefined;
  const event = parseJsonObject(data.toString('utf8'));
  return event?.['type'] === 'codex.response.metadata' ? headersIn(event) : undefined;
}

function headersIn(event: JsonObject): Readonly<Record<string, string>> {
  const given = Object.entries(objectAt(event, 'headers') ?? {});
  return Object.fromEntries(given.map(([name, value]) => [name.toLowerCase(), String(value)]));
}

const named = Buffer.from('"error"');

/** An error with a status. One without is an event that explains an end, and is none itself. */
function errorIn(data: Buffer): JsonObject | undefined {
  if (!data.includes(named)) return undefined;
  const event = parseJsonObject(data.toString('utf8'));
  if (event?.['type'] !== 'error') return undefined;
  const status = statusOf(event);
  return status === undefined || (status >= 200 && status < 300) ? undefined : event;
}

function statusOf(event: JsonObject): number | undefined {
  return numberAt(event, 'status') ?? numberAt(event, 'status_code');
}

function failureOf(event: JsonObject, place: AnswerPlace): ModelFailure {
  const headers = headersIn(event);
  return httpFailure({ status: statusOf(event) ?? 0, headers, body: JSON.stringify(event) }, place);
}
