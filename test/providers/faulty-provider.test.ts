import { expect, it } from 'vitest';
import type { OwnTool } from '../../src/index.ts';
import { bearerHeader } from '../../src/adapters/model/http/credentials-and-headers.ts';
import { httpClient, createProviderConnection, type WireFormat } from '../../src/adapters/model/http/http-client.ts';
import type { ModelEvent } from '../../src/ports/model.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { startToyServer } from './toy-server.ts';
import { toyEncoder, toyFormat } from './toy-wire.ts';

type Answer = () => AsyncIterable<unknown>;

const says = (text: string) => ({
  kind: 'item',
  item: { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] },
});
const calls = (name: string) => ({
  kind: 'item',
  item: { type: 'function_call', call_id: `call_${name}`, name, arguments: '{}' },
});
const done = { kind: 'completed', responseId: '' };

function events(...given: readonly unknown[]): Answer {
  return async function* () {
    yield* given;
  };
}

function throwing(...given: readonly unknown[]): Answer {
  return async function* () {
    yield* given;
    throw new Error('no such field');
  };
}

const fine = events(says('Fine.'), done);

/** A thread at a provider whose wire format gives these answers, one after the other, and then good ones. */
async function scene(answers: readonly Answer[], { tools = [] as readonly OwnTool[], overrides = [''] } = {}) {
  const live = await LiveThread.in([], '[model_providers.own]\nbase_url = "http://127.0.0.1:9"\nwire_api = "own"\n');
  const bodies: string[] = [];
  const own: WireFormat = {
    ...toyFormat,
    name: 'own',
    client: () => ({
      stream({ body }) {
        bodies.push(Buffer.concat(body).toString('utf8'));
        return (answers[bodies.length - 1] ?? fine)() as AsyncIterable<ModelEvent>;
      },
      authMode: () => Promise.resolve('none'),
    }),
  };
  const retries = 'model_providers.own.stream_max_retries=0';
  const given = ['model_provider="own"', retries, ...overrides.filter((text) => text !== '')];
  await live.open({ formats: [own], config: given }, { tools });
  return { live, bodies };
}

/** Starts and ends of turns, in order. */
function ends({ events: told }: LiveThread): readonly string[] {
  return told.map(({ kind }) => kind).filter((kind) => /^turn-(started|completed|failed|aborted)$/.test(kind));
}

const circle: Record<string, unknown> = { type: 'message', role: 'assistant', content: [] };
circle['self'] = circle;

const unreadable = (what: string) => ({ code: 'server-error', message: expect.stringContaining(what) as string });
const faulty = {
  code: 'provider-faulty',
  message: 'The code for this wire format failed: no such field.',
  next: expect.stringContaining('wire_api') as string,
};

const cases: readonly (readonly [string, Answer, object])[] = [
  ['ends without an end', events(says('Half.')), { code: 'stream-cut' }],
  ['says nothing', events(), { code: 'stream-cut' }],
  ['throws', throwing(says('Half.')), faulty],
  [
    'throws before it gives a stream',
    () => {
      throw new Error('no such field');
    },
    faulty,
  ],
  ['gives an event of null', events(null, done), unreadable('an event')],
  ['gives an item of null', events({ kind: 'item', item: null }, done), unreadable('an item')],
  ['gives no item', events({ kind: 'item' }, done), unreadable('an item')],
  ['gives an item without a type', events({ kind: 'item', item: { role: 'user' } }, done), unreadable('an item')],
  ['gives an item without an end', events({ kind: 'item', item: circle }, done), unreadable('an item')],
  ['gives an item that is no data', events({ kind: 'item', item: { type: 'a', n: 5n } }, done), unreadable('an item')],
  ['gives a delta of null', events({ kind: 'text-delta', itemId: '', delta: null }, done), unreadable('an event')],
  ['fails without a failure', events({ kind: 'failed' }), unreadable('ended its answer')],
];

it.each(cases)('a wire format that %s fails its turn, and the next turn runs', async (_, answer, outcome) => {
  const { live } = await scene([answer]);
  expect(await live.turn('one')).toMatchObject({ kind: 'failed', outcome });
  expect(await live.turn('two')).toEqual({ kind: 'completed', lastMessage: 'Fine.' });
  expect(ends(live)).toEqual(['turn-started', 'turn-failed', 'turn-started', 'turn-completed']);
});

it('an answer without an end is asked for again, like one that was cut', async () => {
  const { live, bodies } = await scene([events(says('Half.'))], {
    overrides: ['model_providers.own.stream_max_retries=1'],
  });
  expect(await live.turn('one')).toEqual({ kind: 'completed', lastMessage: 'Fine.' });
  expect([bodies.length, live.told('retrying').map(({ outcome }) => outcome.code)]).toEqual([2, ['stream-cut']]);
});

it('what comes after the end of an answer is ignored, also an error', async () => {
  const { live, bodies } = await scene([throwing(says('One.'), done, says('Late.'), done)]);
  expect(await live.turn('one')).toEqual({ kind: 'completed', lastMessage: 'One.' });
  await live.turn('two');
  expect(bodies.join('')).not.toContain('Late.');
});

it('no format brings more items than an answer may', async () => {
  const { live } = await scene([events(says('1'), says('2'), says('3'), done)], { overrides: ['answer.max_items=2'] });
  expect(await live.turn('one')).toMatchObject({
    kind: 'failed',
    lastMessage: '2',
    outcome: { code: 'answer-too-large', message: expect.stringContaining('more than 2 items') },
  });
});

function slowTool(order: string[]): OwnTool {
  const parameters = { type: 'object', properties: {} };
  return {
    name: 'slow',
    description: 'Takes its time.',
    parameters,
    async run() {
      await new Promise((resolve) => setTimeout(resolve, 200));
      order.push('call ended');
      return 'slow output';
    },
  };
}

it('a call that runs when the format throws ends before its turn, and is answered', async () => {
  const order: string[] = [];
  const { live, bodies } = await scene([throwing(calls('slow'))], { tools: [slowTool(order)] });
  live.onEvent = ({ kind }) => void (kind === 'turn-failed' && order.push(kind));
  expect(await live.turn('one')).toMatchObject({ kind: 'failed', outcome: faulty });
  expect(order).toEqual(['call ended', 'turn-failed']);
  await live.turn('two');
  expect(bodies[1]).toContain('{"result":"slow output","id":"call_slow"}');
});

it('an encoder that throws fails the turn, which has one end', async () => {
  const live = await LiveThread.in([], '[model_providers.own]\nbase_url = "http://127.0.0.1:9"\nwire_api = "own"\n');
  let encoded = 0;
  const encoder = toyEncoder();
  const own: WireFormat = {
    ...toyFormat,
    name: 'own',
    encoder: () => ({
      ...encoder,
      body(prompt) {
        if (++encoded === 1) throw new TypeError('no such item');
        return encoder.body(prompt);
      },
    }),
    client: () => ({ stream: () => fine() as AsyncIterable<ModelEvent>, authMode: () => Promise.resolve('none') }),
  };
  await live.open({ formats: [own], config: ['model_provider="own"'] });
  expect(await live.turn('one')).toMatchObject({
    kind: 'failed',
    outcome: { code: 'internal-error', message: 'Internal error: no such item.' },
  });
  expect(await live.turn('two')).toEqual({ kind: 'completed', lastMessage: 'Fine.' });
  expect(ends(live)).toEqual(['turn-started', 'turn-failed', 'turn-started', 'turn-completed']);
});

it('a reader that throws does not show the key that it was sent back', async () => {
  const server = await startToyServer([[{ say: 'a-secret-key' }]]);
  const config = `[model_providers.toy]\nbase_url = "${server.url}"\nwire_api = "own"\nexperimental_bearer_token = "a-secret-key"\n`;
  const live = await LiveThread.in([], config);
  const reader = () => ({
    event(data: Buffer): never {
      throw new Error(`Unexpected ${data.toString('utf8')}`);
    },
    end: () => [],
  });
  const wire = { api: 'Own API', endpoint: 'own', identify: bearerHeader, reader };
  const own: WireFormat = {
    ...toyFormat,
    name: 'own',
    client: (options) => httpClient(createProviderConnection(options, wire)),
  };
  await live.open({ formats: [own], config: ['model_provider="toy"'] });
  expect(await live.turn('one')).toMatchObject({
    outcome: {
      code: 'provider-faulty',
      message: 'The code for this wire format failed: Unexpected {"say":"<hidden>"}.',
    },
  });
});

it('a request that an encoder breaks, before it leaves or while its answer comes, holds nothing of a limit back', async () => {
  const config = '[model_providers.own]\nbase_url = "http://127.0.0.1:9"\nwire_api = "own"\n';
  const live = await LiveThread.in([], `${config}[features]\nmulti_agent = true\n`);
  const encoder = toyEncoder();
  const broken = { body: 1, item: 1 };
  const failOnce = (part: keyof typeof broken): void => {
    if (broken[part]-- > 0) throw new TypeError(`no such ${part}`);
  };
  const own: WireFormat = {
    ...toyFormat,
    name: 'own',
    encoder: () => ({
      version: encoder.version,
      body(prompt) {
        failOnce('body');
        return encoder.body(prompt);
      },
      item(item) {
        failOnce('item');
        return encoder.item(item);
      },
    }),
    client: () => ({ stream: () => fine() as AsyncIterable<ModelEvent>, authMode: () => Promise.resolve('none') }),
  };
  // Enough for one request with the longest answer, not for two.
  await live.open({ formats: [own], config: ['model_provider="own"'] }, { limits: { turnTokens: 50_000 } });
  const signal = AbortSignal.timeout(5000);
  for (const part of ['body', 'item']) {
    expect(await live.turn('go', { signal })).toMatchObject({
      outcome: { message: `Internal error: no such ${part}.` },
    });
  }
  expect(await live.turn('go', { signal })).toEqual({ kind: 'completed', lastMessage: 'Fine.' });
});

it('what a connection says of a request whose answer is over is not recorded', async () => {
  const live = await LiveThread.in([], '[model_providers.own]\nbase_url = "http://127.0.0.1:9"\nwire_api = "own"\n');
  const refusal = { code: 'invalid-request', message: 'No.', next: 'Change it.', retry: 'never' } as const;
  let sayLate = (): void => {};
  const own: WireFormat = {
    ...toyFormat,
    name: 'own',
    client: () => ({
      async *stream({ onSent }) {
        sayLate = () => onSent?.();
        yield { kind: 'failed', failure: refusal };
      },
      authMode: () => Promise.resolve('none'),
    }),
  };
  await live.open({ formats: [own], config: ['model_provider="own"'] });
  expect(await live.turn('one')).toMatchObject({ kind: 'failed', outcome: { message: 'No.' } });
  sayLate();
  await live.close();
  expect(live.place.lines().map(({ type }) => type)).not.toContain('capstan_sent');
});

it('another try waits as long as the provider asks', async () => {
  const retry = { afterMs: 7 };
  const busy = { code: 'rate-limited', message: 'Slowly.', next: 'Wait.', retry } as const;
  const { live } = await scene([events({ kind: 'failed', failure: busy })], {
    overrides: ['model_providers.own.stream_max_retries=1'],
  });
  expect(await live.turn('one')).toEqual({ kind: 'completed', lastMessage: 'Fine.' });
  expect(live.told('retrying').map(({ waitMs }) => waitMs)).toEqual([7]);
});
