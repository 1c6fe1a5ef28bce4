import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { answer, hang, httpError, say } from '../../src/testing/index.ts';
import { scene } from '../harness/scene.ts';
import { lastSent } from './expectations.ts';
import { expectThreadToOutlive, type TurnFault } from './one-thread.ts';

/** Something that answers every connection with a line that is not HTTP. */
const stranger = createServer((socket) => socket.on('error', () => {}).end('SSH-2.0-Stranger\r\n'));
await new Promise<void>((listening) => stranger.listen(0, '127.0.0.1', listening));
const strangerPort = (stranger.address() as AddressInfo).port;
afterAll(() => stranger.close());

const at = (url: string) => ['-c', `model_providers.scripted.base_url="${url}"`];
// A label that is too long for DNS: the name is refused on this machine, and no server is asked.
const noHost = `http://${'x'.repeat(64)}.invalid`;

const unreachable = (url: string): readonly TurnFault[] => [
  {
    name: 'nothing listens',
    // A port that is reserved and never in use.
    options: at('http://127.0.0.1:1/v1'),
    says: 'Nothing listens at http://127.0.0.1:1: the connection was refused (ECONNREFUSED). Start the server, or correct the base URL of the provider.',
  },
  {
    name: 'no such host',
    options: at(noHost),
    says: `The host in ${noHost} could not be found (ENOTFOUND). Check the spelling of the base URL of the provider, and the network.`,
  },
  {
    name: 'TLS to a server without it',
    options: at(url.replace('http:', 'https:')),
    says: `The server at ${new URL(url).origin.replace('http:', 'https:')} does not speak TLS correctly (EPROTO). Check the base URL of the provider: a server without TLS needs http:// instead of https://.`,
  },
  {
    name: 'something that is no web server',
    options: at(`http://127.0.0.1:${strangerPort}`),
    says: `The server at http://127.0.0.1:${strangerPort} does not speak HTTP (HPE_INVALID_CONSTANT). Check the port in the base URL of the provider, and whether it must begin with https://.`,
  },
  {
    name: 'silence',
    step: hang({ afterBytes: 0, of: answer({ items: [] }) }),
    options: ['-c', 'model_providers.scripted.stream_idle_timeout_ms=200'],
    says: 'The provider sent nothing for 0.2 seconds. Try again. If the model needs longer, raise stream_idle_timeout_ms of the provider.',
    breaksStream: true,
  },
];

const html = { 'content-type': 'text/html' };
const page = (title: string): string =>
  `<!DOCTYPE html>\n<html><head><title>${title}</title><style>h1 { color: red }</style></head><body><h1>${title}</h1></body></html>`;

const refusing = (): readonly TurnFault[] => [
  {
    name: '400',
    step: httpError({ status: 400, body: { error: { message: 'There is no such parameter' } } }),
    says: 'The provider answered with status 400: There is no such parameter. Check the model name and the settings of the provider, then try again.',
  },
  {
    name: '401',
    step: httpError({ status: 401, body: { error: { message: 'Who are you?' } } }),
    says: 'The provider answered with status 401: Who are you? Capstan sent no key. Set env_key of the provider scripted to the environment variable that holds the key.',
  },
  {
    name: '403',
    step: httpError({ status: 403, body: { error: { message: 'Not for you' } } }),
    says: 'The provider answered with status 403: Not for you. Capstan sent no key. Set env_key of the provider scripted to the environment variable that holds the key.',
  },
  {
    name: '404',
    step: httpError({ status: 404 }),
    says: 'The provider answered with status 404. Check the base URL of the provider and that it offers this model.',
  },
  {
    name: '429',
    step: httpError({ status: 429, body: { error: { message: 'Too much' } } }),
    says: 'The provider answered with status 429: Too much. Wait a moment, then try again.',
  },
  {
    name: '429 with a time',
    step: httpError({ status: 429, headers: { 'retry-after': '7' } }),
    says: 'The provider answered with status 429. Wait 7 seconds, then try again.',
  },
  {
    name: '500',
    step: httpError({ status: 500, body: 'boom' }),
    says: 'The provider answered with status 500: boom. Try again. If it keeps failing, check the status page of the provider.',
  },
  {
    name: '502 with a page',
    step: httpError({ status: 502, headers: html, body: page('502 Bad Gateway') }),
    says: 'The provider answered with status 502: a web page, "502 Bad Gateway". Try again. If it keeps failing, check the status page of the provider.',
  },
  {
    name: '503',
    step: httpError({ status: 503, body: { error: { code: 'server_is_overloaded', message: 'Busy' } } }),
    says: 'Busy. Wait a moment, then try again.',
  },
  {
    name: 'a redirect',
    step: httpError({ status: 302, headers: { ...html, location: 'https://user:pw@Login.example.com/a?b=c' } }),
    says: 'The provider answered with status 302: it redirects to https://login.example.com. Check the base URL of the provider: it must be that of the Responses API, without a redirect.',
  },
  {
    name: 'an object in place of a stream',
    step: httpError({ status: 200, headers: { 'content-type': 'application/json' }, body: { id: 'resp_1' } }),
    says: 'The provider answered with status 200: {"id":"resp_1"}. The answer was not streamed: check that the server can stream. Check the base URL of the provider: it must be that of the Responses API.',
  },
  {
    name: 'a page in place of a stream',
    step: httpError({ status: 200, headers: html, body: page('Sign in') }),
    says: 'The provider answered with status 200: a web page, "Sign in". Check the base URL of the provider: it must be that of the Responses API.',
  },
];

describe('a server that', () => {
  it('cannot be reached', { timeout: 60_000 }, () => expectThreadToOutlive('json', unreachable));
  it('refuses', { timeout: 60_000 }, () => expectThreadToOutlive('json', refusing));
  it('cannot be reached or refuses, for people', { timeout: 60_000 }, () =>
    expectThreadToOutlive('human', (url) => [unreachable(url)[0]!, ...refusing().slice(1, 3)]),
  );

  it('asks for a pause gets it, and the try is reported', async () => {
    const busy = httpError({ status: 429, headers: { 'retry-after-ms': '20' }, body: { error: { message: 'Busy' } } });
    const { model, place } = await scene([busy, answer({ items: [say('Now.')] })]);
    const run = await place.run('exec', '--json', 'hi');
    expect([run.code, run.events[2]]).toEqual([
      0,
      {
        type: 'error',
        message: 'The provider answered with status 429: Busy. Trying again (1 of 5).',
      },
    ]);
    expect(lastSent(model).at(-1)).toBe('hi');
  });
});
