import { expect, test } from 'vitest';
import type { JsonObject } from '../../../../protocol/json.ts';
import { httpFailure } from './http-failure.ts';

const unexplained = (status: number, body: string | JsonObject): boolean | undefined =>
  httpFailure(
    { status, headers: {}, body: typeof body === 'string' ? body : JSON.stringify(body) },
    { now: 0, api: 'API' },
  ).unexplained;

test.each<[string, number, string | JsonObject]>([
  ['no words', 400, ''],
  ['words that say nothing', 400, { error: { message: 'Bad Request' } }],
  ['the general type', 400, { error: { type: 'invalid_request_error', code: null, param: null, message: 'Invalid.' } }],
  ['a code that says nothing', 400, { error: { code: 'unknown_error', message: 'Something is wrong.' } }],
  ['the conversation named as the fault', 400, { error: { param: 'input', message: 'The input was not accepted.' } }],
  ['another status', 422, { detail: 'Unprocessable Entity' }],
  ['a status of its own', 499, { error: 'No.' }],
  ['a page', 400, '<html><title>400 Bad Request</title></html>'],
])('a refusal with %s names no cause', (_, status, body) => {
  expect(unexplained(status, body)).toBe(true);
});

test.each<[string, number, string | JsonObject]>([
  ['a key', 401, ''],
  ['money', 402, ''],
  ['a permission', 403, ''],
  ['an address', 404, ''],
  ['a limit per minute', 429, ''],
  ['a size', 413, ''],
  ['the server', 500, ''],
  ['a redirection', 302, ''],
  ['a bad parameter by its code', 400, { error: { code: 'unsupported_parameter', message: 'No.' } }],
  ['a bad parameter by its type', 400, { error: { type: 'invalid_parameter_error', message: 'No.' } }],
  ['a bad parameter by its name', 400, { error: { param: 'reasoning.effort', message: 'No.' } }],
  ['a bad parameter in words', 400, { error: { message: "Unknown parameter: 'text.verbosity'." } }],
  ['a value that is not supported', 400, { error: { message: "'xhigh' is not supported with this model." } }],
  ['an item', 400, { error: { param: 'input[3].call_id', message: 'String too long.' } }],
  ['a call without an answer', 400, { error: { message: 'No tool output found for function call call_1.' } }],
  ['a schema', 400, { error: { message: 'Invalid schema for response_format.' } }],
  ['a picture', 400, { error: { message: 'The image data you provided does not represent a valid image.' } }],
  ['a policy by its code', 400, { error: { code: 'content_filter', message: 'No.' } }],
  ['a policy in words', 400, { error: { message: 'Rejected as a violation of our usage policies.' } }],
  ['an account', 400, { error: { message: 'Your credit balance is too low.' } }],
  ['a model', 400, { error: { message: 'The model `gpt-9` does not exist.' } }],
  ['a model by its code', 400, { error: { code: 'model_not_supported', message: 'No.' } }],
  ['its length', 400, { error: { message: 'prompt is too long: 213462 tokens > 200000 maximum' } }],
])('a refusal that is about %s is explained', (_, status, body) => {
  expect(unexplained(status, body)).toBe(undefined);
});
