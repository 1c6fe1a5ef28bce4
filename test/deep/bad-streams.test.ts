import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, callTool, cutAfter, httpError, malformed, say, type ScriptStep } from '../../src/testing/index.ts';
import { scene, threadId } from '../harness/scene.ts';
import { brokenStream, failedTurn, lastSent, withoutRetries } from '../exec-bad-input/expectations.ts';
import { expectThreadToOutlive, type TurnFault } from '../exec-bad-input/one-thread.ts';

const words = Array.from({ length: 100 }, (_, i) => `word${i}`).join(' ');
const cutAt = (bytes: number, item: JsonObject & { readonly type: string }): ScriptStep =>
  cutAfter({ bytes, of: answer({ items: [item], deltas: true }) });

const breaksStream = true;
const sendAgain = 'Try again. If it keeps failing, check the network and any proxy.';
const lostAt = (code: string): string => `The connection ended before the answer was complete (${code}). ${sendAgain}`;
const tooLarge =
  'Check the provider: a model should not answer like this. answer.max_items and answer.max_bytes set the limits.';
const serverError = 'Try again. If it keeps failing, check the status page of the provider.';

/** An answer of these bytes, which ends as HTTP wants it. */
const body = (text: string, contentType = 'text/event-stream'): ScriptStep =>
  httpError({ status: 200, body: text, headers: { 'content-type': contentType } });
const events = (...list: readonly (JsonObject | string)[]): string =>
  list.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`).join('');
const created = { type: 'response.created', response: { id: 'resp_x' } };
const said = (text: string): JsonObject => ({ type: 'response.output_item.done', item: { ...say(text), id: 'msg_x' } });
const completed = { type: 'response.completed', response: { id: 'resp_x' } };
const told = (text: string): JsonObject => ({
  type: 'item.completed',
  item: { id: 'item_0', type: 'agent_message', text },
});

const cut = (url: string): readonly TurnFault[] => [
  {
    name: 'before the head',
    step: cutAt(0, say('x')),
    says: `${new URL(url).origin} closed the connection without an answer (ECONNRESET). Check that the server works, what stands between Capstan and it, and whether the base URL of the provider must begin with https://.`,
  },
  { name: 'before the first event', step: cutAt(10, say('x')), says: lostAt('ECONNRESET'), breaksStream },
  { name: 'in the middle of a text', step: cutAt(5000, say(words)), says: lostAt('ECONNRESET'), breaksStream },
  {
    name: 'in the middle of a call',
    step: cutAt(5000, callTool('exec_command', { cmd: `echo ${words}` })),
    says: lostAt('ECONNRESET'),
    breaksStream,
  },
  {
    name: 'after an item, before the end',
    step: body(events(created, said('Half an answer.'))),
    items: [told('Half an answer.')],
    says: lostAt('end of stream'),
    breaksStream,
  },
];

const broken = (): readonly TurnFault[] => [
  { name: 'an event that is no JSON', step: malformed(), items: [told('Still here.')] },
  {
    name: 'unknown events',
    step: malformed({ data: '{"type":"response.brand_new","delta":[7]}' }),
    items: [told('Still here.')],
  },
  {
    name: 'an item that is no JSON',
    step: malformed({ data: '{"type":"response.output_item.done","item":{"type":"function_call"' }),
    says: `The provider sent an item that Capstan cannot read. ${serverError}`,
    breaksStream,
  },
  {
    name: 'an end that is no JSON',
    step: body(events(created, said('Nearly.'), '{"type":"response.completed","response":')),
    items: [told('Nearly.')],
    says: `The provider ended its answer with an event that Capstan cannot read. ${serverError}`,
    breaksStream,
  },
  {
    name: 'a line without end',
    step: body(`data: ${'x'.repeat(65 * 1024 * 1024)}`),
    says: `The provider sent more than 32 MB in one event, so Capstan stopped reading it. ${tooLarge}`,
  },
  {
    name: 'text in place of events',
    step: body('Hello from a server that is no model.', 'text/plain'),
    says: 'The provider sent an answer of type text/plain without any event that Capstan can read. Check that the base URL of the provider is that of the Responses API. If it is, try again.',
    breaksStream,
  },
  {
    name: 'no event but one that is no JSON',
    step: body(events('{not json')),
    says: 'The provider sent an answer of type text/event-stream without any event that Capstan can read. Check that the base URL of the provider is that of the Responses API. If it is, try again.',
    breaksStream,
  },
  {
    name: 'bytes in place of events',
    step: body('\0\u0001\n\n\u0002\ud800', 'application/octet-stream'),
    says: 'The provider sent an answer of type application/octet-stream without any event that Capstan can read. Check that the base URL of the provider is that of the Responses API. If it is, try again.',
    breaksStream,
  },
  {
    name: 'a stream under the name of JSON',
    step: body(events(created), 'application/json'),
    says: `The provider answered with status 200: ${events(created).trim()}. Check the base URL of the provider: it must be that of the Responses API.`,
  },
  {
    name: 'a stream under another name',
    step: body(events(created, said('Well.'), completed), 'text/plain'),
    items: [told('Well.')],
  },
];

describe('a stream that', () => {
  it('is cut', { timeout: 60_000 }, () => expectThreadToOutlive('json', cut));
  it('is broken', { timeout: 60_000 }, () => expectThreadToOutlive('json', broken));
  it('is cut, for people', { timeout: 60_000 }, () => expectThreadToOutlive('human', (url) => cut(url).slice(1, 4)));

  it('is cut after an item or a call keeps them for the model', async () => {
    const call = { ...callTool('exec_command', { cmd: 'echo done >> did; cat did' }), id: 'fc_x', call_id: 'call_x' };
    const { model, place } = await scene([
      body(events(created, said('I look.'), { type: 'response.output_item.done', item: call })),
      answer({ items: [say('Good.')] }),
    ]);
    withoutRetries(place);
    const first = await place.run('exec', '--json', 'go');
    expect(first.events.slice(-2)).toEqual(failedTurn(brokenStream + lostAt('end of stream')));
    const next = await place.run('exec', '--json', 'resume', threadId(first), 'go on');
    expect(next.code).toBe(0);
    // Once: a call that was recorded is not made again.
    expect(lastSent(model).slice(-4)).toEqual([
      'I look.',
      undefined,
      expect.stringMatching(/Process exited with code 0\n[\s\S]*Output:\ndone\n$/),
      'go on',
    ]);
  });
});
