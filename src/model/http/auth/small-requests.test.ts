import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { sender } from '../network/exchange.ts';
import { smallRequests } from './small-requests.ts';

async function urlOf(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const { postJson: post } = smallRequests(sender({ environment: {} }));

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
