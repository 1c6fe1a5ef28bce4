import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createServerQuestions } from '../server-models.ts';
import { createSender } from './network/exchange.ts';
import { smallRequests } from './small-requests.ts';

async function urlOf(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const { postJson: post } = smallRequests(createSender({ environment: {} }));

test('what was sent has its effect, so its answer is waited for whatever is stopped meanwhile', async () => {
  const stop = new AbortController();
  const url = await urlOf((request, response) => {
    request.resume().on('end', () => {
      stop.abort();
      setImmediate(() => response.end('{"access_token":"new"}'));
    });
  });
  expect(await post(url, {}, stop.signal)).toEqual({ kind: 'answer', status: 200, text: '{"access_token":"new"}' });
});

test('nothing is sent when it is stopped before', async () => {
  let count = 0;
  const url = await urlOf(() => (count += 1));
  const stop = new AbortController();
  const posted = post(url, {}, stop.signal);
  stop.abort();
  const lost = { kind: 'lost', why: 'the request was stopped' };
  expect([await posted, await post(url, {}, stop.signal), count]).toEqual([lost, lost, 0]);
});

test('a header that cannot be sent is no reason to reject', async () => {
  const more = { headers: { 'x-key': 'secret\u2026' }, patienceMs: 500 };
  expect(await post('http://127.0.0.1:1/x', {}, new AbortController().signal, more)).toEqual({
    kind: 'lost',
    why: 'the header "x-key" has a character that no header may have',
  });
  const question = { url: 'http://127.0.0.1:1/x', headers: { authorization: 'secret\nb' }, timeoutMs: 500 };
  expect(await createServerQuestions(createSender({ environment: {} }))(question)).toEqual({
    kind: 'lost',
    why: {
      message: 'The header "authorization" has a character that no header may have.',
      next: 'Correct the value where it is set, then try again.',
    },
  });
});
