import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { askLocalServer } from './server-models.ts';

const closing: (() => void)[] = [];
afterEach(() => closing.splice(0).forEach((close) => close()));

async function asked(text: string, status = 200) {
  const paths: (string | undefined)[] = [];
  const server = createServer(({ url }, answer) => {
    paths.push(url);
    answer.writeHead(status).end(text);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  closing.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  const found = await askLocalServer(`http://127.0.0.1:${port}/v1`);
  expect(paths).toEqual(['/v1/models']);
  return found;
}

test.each([
  [
    'a list',
    '{"object":"list","data":[{"id":"a:1"},{"id":"b"},{"name":"c"}]}',
    { kind: 'answers', models: ['a:1', 'b'] },
  ],
  ['an empty list', '{"data":[]}', { kind: 'answers', models: [] }],
  ['nothing in its place', '{"object":"list","data":null}', { kind: 'answers', models: [] }],
  ['another object', '{"models":[]}', { kind: 'other' }],
  ['no object', '[]', { kind: 'other' }],
  ['no JSON', '<html>', { kind: 'other' }],
])('%s', async (_, text, expected) => {
  expect(await asked(text)).toEqual(expected);
});

test('an error is no list', async () => {
  expect(await asked('{"data":[{"id":"a"}]}', 500)).toEqual({ kind: 'other' });
});

test('a port without a listener', async () => {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  expect(await askLocalServer(`http://127.0.0.1:${port}/v1`)).toEqual({ kind: 'silent' });
});
