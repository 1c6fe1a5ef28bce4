import { expect, it, test } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, callTool, httpError, say, type RecordedRequest } from '../../src/testing/index.ts';
import { checkThread, FormatThread } from '../formats/format-thread.ts';
import { formats } from '../formats/formats.ts';

const [chat] = formats.filter(({ title }) => title === 'Chat');
const limits = { turnTokens: 200_000 };
const none = { config: ['model_providers.scripted.stream_max_retries=0'] };

function fieldsOf(body: JsonObject): readonly string[] {
  return ['max_tokens', 'max_completion_tokens'].filter((field) => body[field] !== undefined);
}

/** A server that knows one of the fields alone. */
function knows(field: string, words: (refused: string) => JsonObject) {
  let steps = 0;
  return ({ body }: RecordedRequest) => {
    const refused = fieldsOf(body).find((each) => each !== field);
    if (refused !== undefined) return httpError({ status: 400, body: words(refused) });
    return steps++ === 0 ? answer({ items: [callTool('update_plan', { plan: [] })] }) : answer({ items: [say('ok')] });
  };
}

const openai = (refused: string): JsonObject => ({
  error: {
    message: `Unsupported parameter: '${refused}' is not supported with this model. Use another instead.`,
    type: 'invalid_request_error',
    param: refused,
    code: 'unsupported_parameter',
  },
});
const strict = (refused: string): JsonObject => ({ detail: `${refused}: Extra inputs are not permitted` });

test.each([
  ['max_completion_tokens', openai, '{}'],
  ['max_completion_tokens', strict, '{}'],
  ['max_tokens', openai, '{max_tokens_field="max_completion_tokens"}'],
])('a server that knows only %s gets it at once, and from then on', async (field, words, capabilities) => {
  const thread = await FormatThread.in({ ...chat!, capabilities }, knows(field, words));
  await thread.open({ limits }, none);
  const { live } = thread;
  expect(await live.turn('go')).toMatchObject({ kind: 'completed', lastMessage: 'ok' });
  expect(live.events.filter(({ kind }) => kind === 'retrying' || kind === 'warning')).toEqual([]);
  await thread.open({ limits }, none);
  expect(await live.turn('again')).toMatchObject({ kind: 'completed' });
  const sent = live.model.requests.map(({ body }) => fieldsOf(body));
  const other = field === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
  expect(sent).toEqual([[other], [field], [field], [field]]);
  expect(live.events.filter(({ kind }) => kind === 'prefix-broken')).toEqual([]);
  await checkThread(thread);
});

it('the request with the other field has all that is left: the refused one is over, and cost nothing', async () => {
  const thread = await FormatThread.in(chat!, knows('max_completion_tokens', openai));
  await thread.open({ limits: { turnTokens: 60_000 } }, none);
  expect(await thread.live.turn('go')).toMatchObject({ kind: 'completed' });
  const [refused, next] = thread.live.model.requests.map(({ body }) => body);
  expect([refused!['max_completion_tokens'], next!['max_tokens']]).toEqual([undefined, undefined]);
  expect(next!['max_completion_tokens']).toBe(refused!['max_tokens']);
});

it('a server that knows neither is refused no more than twice', async () => {
  const thread = await FormatThread.in(chat!, ({ body }) =>
    httpError({ status: 400, body: openai(fieldsOf(body)[0] ?? '') }),
  );
  await thread.open({ limits }, none);
  expect(await thread.live.turn('go')).toMatchObject({ kind: 'failed', outcome: { code: 'invalid-request' } });
  expect(thread.live.model.requests).toHaveLength(2);
});

it('a value that is too large is no matter of the field', async () => {
  const message = 'max_tokens is too large: 32000. This model supports at most 8192 completion tokens.';
  const thread = await FormatThread.in(chat!, [httpError({ status: 400, body: { error: { message } } })]);
  await thread.open({ limits }, none);
  expect(await thread.live.turn('go')).toMatchObject({ kind: 'failed' });
  expect(thread.live.model.requests).toHaveLength(1);
});
