import { expect, it } from 'vitest';
import type { OwnTool } from '../../src/index.ts';
import { createDigester } from '../../src/adapters/model/request-digester.ts';
import { loadEncoders } from '../../src/adapters/model/provider-for.ts';
import type { Line } from '../../src/protocol/line.ts';
import { createRequestComparison } from '../../src/core/replay/compare-requests.ts';
import { rebuildRequests } from '../../src/core/replay/rebuild-requests.ts';
import { answer, callTool, say, type Script } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { startToyServer, type ToyAnswer, type ToyServer } from './toy-server.ts';
import { toyEncoder, toyFormat } from './toy-wire.ts';

const lookUp: OwnTool = {
  name: 'look_up',
  description: 'Gives the meaning of a word.',
  parameters: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
  run: ({ word }) => `${String(word)}: a kind of winch`,
};

const calls: ToyAnswer = [{ call: { name: 'look_up', with: { word: 'capstan' } } }, { done: [100, 5] }];
const says = (text: string): ToyAnswer => [{ say: text }, { done: [120, 3] }];

const toy = { formats: [toyFormat], config: ['model_provider="toy"'] };

async function scene(answers: readonly ToyAnswer[], script: Script = []): Promise<[LiveThread, ToyServer]> {
  const server = await startToyServer(answers);
  const live = await LiveThread.in(
    script,
    `[model_providers.toy]\nbase_url = "${server.url}"\nwire_api = "toy"\nexperimental_bearer_token = "a-secret-key"\n`,
  );
  return [live, server];
}

/** Every request that the file gives back: which encoder made it, whether the file proves it, and its bytes. */
async function replay(lines: readonly Line[]) {
  const encoders = new Map([...(await loadEncoders()), ['toy/1', toyEncoder()]]);
  const verdictOn = createRequestComparison(createDigester());
  const found: { readonly encoder: string; readonly verdict: string; readonly body: string }[] = [];
  for await (const request of rebuildRequests(lines, (version) => encoders.get(version))) {
    if (request.kind === 'inferred') throw new Error('a request without a record');
    const body = Buffer.concat(request.encoded?.body ?? []).toString('utf8');
    found.push({ encoder: request.record.encoder, verdict: verdictOn(request).kind, body });
  }
  return found;
}

it('a wire format of one’s own runs a turn with a call, and the file gives its requests back', async () => {
  const [live, server] = await scene([{ status: 503, body: {} }, calls, says('A winch.')]);
  await live.open(toy, { tools: [lookUp] });
  expect(await live.turn('What is a capstan?')).toEqual({ kind: 'completed', lastMessage: 'A winch.' });
  await live.close();

  // The transport is the shared one: the key, and another try after an error of the server.
  expect(server.requests.map(({ path, headers }) => [path, headers.authorization])).toEqual(
    Array.from({ length: 3 }, () => ['/v9/toy', 'Bearer a-secret-key']),
  );
  const [first, again, second] = server.requests.map(({ body }) => body);
  expect(again).toBe(first);
  expect(second!.slice(first!.length).trim().split('\n')).toEqual([
    '{"call":"look_up","id":"call_toy_1","with":"{\\"word\\":\\"capstan\\"}"}',
    '{"result":"capstan: a kind of winch","id":"call_toy_1"}',
  ]);
  expect(second!.startsWith(first!)).toBe(true);

  const replayed = await replay(live.place.lines());
  expect(replayed).toEqual([first, second].map((body) => ({ encoder: 'toy/1', verdict: 'same', body })));
});

it('tools are offered in a form that the provider takes', async () => {
  const [live, server] = await scene([says('Hello.')], [answer({ items: [say('Hello.')] })]);
  await live.open(toy);
  await live.turn('Hello?');
  const { tools } = JSON.parse(server.requests[0]!.body.split('\n')[0]!) as { tools: object[] };
  expect(tools).toContainEqual({ type: 'function', name: 'apply_patch' });

  await live.open({ config: ['model_provider="scripted"'] });
  await live.turn('Hello?');
  expect(live.model.requests[0]!.body['tools']).toContainEqual(
    expect.objectContaining({ type: 'custom', name: 'apply_patch' }),
  );
});

it('failures are reported in the same words, whatever the wire format', async () => {
  const unknown = { status: 401, body: { error: { message: 'Who is a-secret-key?' } } };
  const [live] = await scene([unknown, [{ error: { code: 'insufficient_quota' } }]]);
  await live.open(toy);
  expect(await live.turn('Hello?')).toMatchObject({
    kind: 'failed',
    outcome: {
      code: 'unauthorized',
      message: 'The provider answered with status 401: Who is <hidden>?',
      next: 'Check experimental_bearer_token of the provider toy and its permissions.',
    },
  });
  expect(await live.turn('Hello?')).toMatchObject({
    kind: 'failed',
    outcome: { code: 'usage-limit', message: 'This account has used up its quota.' },
  });
});

it('a thread may change its wire format: each request is rebuilt by the encoder that made it', async () => {
  const [live, server] = await scene(
    [says('Two.'), calls, says('Three.')],
    [
      answer({ items: [callTool('look_up', { word: 'winch' })] }),
      answer({ items: [say('One.')] }),
      answer({ items: [say('Four.')] }),
    ],
  );
  const given = { tools: [lookUp] };
  await live.open({}, given);
  await live.turn('One?');
  await live.open(toy, given);
  await live.turn('Two?');
  await live.turn('Three?');
  await live.open({ config: ['model_provider="scripted"'] }, given);
  await live.turn('Four?');
  await live.close();

  const responses = live.model.requests.map(({ decodedBytes }) => decodedBytes.toString('utf8'));
  const toys = server.requests.map(({ body }) => body);
  const replayed = await replay(live.place.lines());
  expect(replayed).toEqual([
    ...responses.slice(0, 2).map((body) => ({ encoder: 'responses/2', verdict: 'same', body })),
    ...toys.map((body) => ({ encoder: 'toy/1', verdict: 'same', body })),
    { encoder: 'responses/2', verdict: 'same', body: responses[2] },
  ]);
  // The record of the items counts anew where the format changes, so that a damaged file names its item.
  const sent = live.place.lines().flatMap(({ type, payload }) => (type === 'capstan_sent' ? [payload['from']] : []));
  expect(sent).toEqual([0, expect.any(Number), 0, expect.any(Number), expect.any(Number), 0]);
  expect(live.told('prefix-broken').map(({ breaks }) => breaks[0])).toEqual(
    Array.from({ length: 2 }, () => expect.objectContaining({ kind: 'setting', name: 'encoder' })),
  );
});

it('a wire format that there is not is refused with those that there are', async () => {
  const [live] = await scene([]);
  const engine = await live.engine({ config: toy.config });
  const request = { listener: () => {}, cwd: live.place.workspace };
  expect(await engine.start(request)).toMatchObject({
    kind: 'refused',
    outcome: {
      code: 'provider-wire-api',
      message: 'The provider "toy" has wire_api "toy"; Capstan supports "responses", "chat", "anthropic"',
    },
  });
});
