import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, compacted, type RecordedRequest } from '../../src/testing/index.ts';
import { bodyDifference } from '../harness/body-difference.ts';
import type { LiveThread } from '../harness/live-thread.ts';
import { notes } from './adversary/transcripts.ts';
import { checkpointText, saysCheckpoint } from './summariser.ts';
import { type Auth, variedInput, variedTurns } from './varied-turns.ts';

const signal = new AbortController().signal;
const sealed = { type: 'compaction', id: 'cmp_1', encrypted_content: 'gAAAAsealed' };
const cached = { input: 4000, cachedInput: 3000, output: 100, total: 4100 };
const remote = 'compaction.strategy="remote"';

describe.each<Auth>(['api-key', 'chatgpt'])('with %s, and the tier fast', (auth) => {
  test('a request to the compact endpoint is the last step, reduced', async () => {
    const live = await variedTurns({
      auth,
      compacts: true,
      overrides: [remote, 'features.remote_compaction_v2=false'],
      checkpoint: compacted({ output: [sealed], usage: cached }),
    });
    const { last, asked, result } = await compactOnce(live);
    const tier = auth === 'chatgpt' ? { same: ['service_tier'] } : { gone: ['service_tier'] };
    expect([asked.path.replace(/^\/[^/]+/, ''), differenceOf(last, asked)]).toEqual([
      '/v1/responses/compact',
      {
        same: [
          'model',
          'parallel_tool_calls',
          'reasoning',
          ...(tier.same ?? []),
          'prompt_cache_key',
          'instructions',
          'tools',
          'text',
        ],
        gone: [...(tier.gone ?? []), 'stream', 'store', 'include', 'tool_choice', 'client_metadata'],
        other: {},
        new: [],
        more: ['reasoning', 'message assistant'],
      },
    ]);
    expect([last.body['service_tier'], asked.body['service_tier']]).toEqual([
      'priority',
      auth === 'chatgpt' ? 'priority' : undefined,
    ]);
    // Without its tier the bytes part where the tier stood; nothing else keeps them apart before the input ends.
    expect(bodyDifference(last.decodedBytes, asked.decodedBytes)).toMatchObject({
      commonBytes: auth === 'chatgpt' ? endOfInput(last) : place(last, '"service_tier"'),
    });
    expect(result.report).toMatchObject({ strategy: 'remote', requests: 1, cachedShare: 0.75 });
    expect(authorization(asked)).toEqual(authorization(last));
    await goesOnFrom(live, sealed);
  });

  test('the streaming form is a step that ends in a trigger, with its tier', async () => {
    const live = await variedTurns({
      auth,
      compacts: true,
      overrides: [remote],
      checkpoint: answer({ items: [sealed], usage: cached }),
    });
    const { last, asked, result } = await compactOnce(live);
    expect(differenceOf(last, asked)).toEqual({
      same: [...before, 'stream', 'store', 'include', 'tool_choice', 'text'],
      gone: [],
      other: { client_metadata: ['turn_id'] },
      new: [],
      more: ['reasoning', 'message assistant', 'compaction_trigger'],
    });
    expect([asked.body['service_tier'], (asked.body['input'] as JsonObject[]).at(-1)]).toEqual([
      'priority',
      { type: 'compaction_trigger' },
    ]);
    const gate = 'x-codex-beta-features';
    expect([last.headers[gate], asked.headers[gate]]).toEqual([undefined, 'remote_compaction_v2']);
    expect(bodyDifference(last.decodedBytes, asked.decodedBytes).commonBytes).toBe(endOfInput(last));
    expect(result.report).toMatchObject({ strategy: 'remote', requests: 1, cachedShare: 0.75 });
    await goesOnFrom(live, sealed);
  });

  test.each(['structured', 'plain'])('a %s request begins with the bytes of the last step', async (strategy) => {
    const live = await variedTurns({
      auth,
      compacts: true,
      overrides: [`compaction.strategy="${strategy}"`],
      checkpoint: saysCheckpoint(checkpointText('Build the parser.', ['Go on.'], notes(1, 600)), cached),
    });
    const { last, asked, result } = await compactOnce(live);
    const schema = strategy === 'structured' ? { text: ['format'] } : {};
    expect(differenceOf(last, asked)).toEqual({
      same: [...before, 'stream', 'store', 'include', ...(strategy === 'structured' ? [] : ['text'])],
      gone: [],
      other: { tool_choice: 'none', ...schema, client_metadata: ['turn_id'] },
      new: [],
      more: ['reasoning', 'message assistant', 'message user'],
    });
    expect(bodyDifference(last.decodedBytes, asked.decodedBytes).commonBytes).toBe(endOfInput(last));
    expect(result.report).toMatchObject({ strategy, requests: 1, cachedShare: 0.75 });
  });
});

describe('a tier that was changed since the last step', () => {
  test.each([
    ['holds for the compact endpoint', false, compacted({ output: [sealed] }), undefined],
    ['does not for the streaming form, which continues from that step', true, answer({ items: [sealed] }), 'priority'],
  ])('%s', async (_name, streams, checkpoint, tier) => {
    const overrides = [remote, `features.remote_compaction_v2=${streams}`];
    const live = await variedTurns({ auth: 'chatgpt', compacts: true, overrides, checkpoint });
    await live.thread.overrideTurnContext({ serviceTier: null });
    expect(await live.thread.compact({ signal })).toMatchObject({ kind: 'installed', report: { strategy: 'remote' } });
    const tiers = live.model.requests.slice(-2).map(({ body }) => body['service_tier']);
    expect(tiers).toEqual(['priority', tier]);
  });
});

describe('who is asked', () => {
  test.each([
    ['a provider that cannot compact', false, [remote], ['structured']],
    ['one that could, without the choice', true, [], ['structured']],
    ['one that can', true, [remote], ['remote']],
  ])('%s', async (_name, compacts, overrides, strategies) => {
    const sends = (request: RecordedRequest) => (request.body['tool_choice'] === 'none' ? 'structured' : 'remote');
    const checkpoint = answer({ items: [sealed] });
    const live = await variedTurns({ auth: 'api-key', compacts, overrides, checkpoint });
    const before = live.model.requests.length;
    await live.thread.compact({ signal });
    expect(live.model.requests.slice(before, before + 1).map(sends)).toEqual(strategies);
  });
});

/** The members before the input of a step. */
const before = [
  'model',
  'parallel_tool_calls',
  'reasoning',
  'service_tier',
  'prompt_cache_key',
  'instructions',
  'tools',
] as const;

async function compactOnce(live: LiveThread) {
  const count = live.model.requests.length;
  const last = live.model.requests.at(-1)!;
  expect(kindsOf(last)).toEqual(variedInput);
  expect(last.body['prompt_cache_key']).toBe(live.thread.id);
  const result = await live.thread.compact({ signal });
  if (result.kind !== 'installed') throw new Error(JSON.stringify(result));
  expect(live.model.requests).toHaveLength(count + 1);
  return { last, asked: live.model.requests.at(-1)!, result };
}

/** The next request holds what the provider sealed, and the same contract. */
async function goesOnFrom(live: LiveThread, item: JsonObject): Promise<void> {
  await live.turn('And now?');
  const request = live.model.requests.at(-1)!;
  expect(request.body['input']).toContainEqual(item);
  expect([request.body['service_tier'], request.body['prompt_cache_key']]).toEqual(['priority', live.thread.id]);
}

interface Difference {
  readonly same: readonly string[];
  readonly gone: readonly string[];
  readonly new: readonly string[];
  /** The value, or of an object the keys that are new or have another value. */
  readonly other: JsonObject;
  /** Items with which the input continues. */
  readonly more: readonly string[];
}

function differenceOf({ body: a }: RecordedRequest, asked: RecordedRequest): Difference {
  const b = asked.body;
  const [known, more] = [a['input'] as JsonObject[], b['input'] as JsonObject[]];
  expect(more.slice(0, known.length)).toEqual(known);
  const names = Object.keys(a).filter((name) => name !== 'input');
  const isSame = (name: string): boolean => JSON.stringify(a[name]) === JSON.stringify(b[name]);
  return {
    same: names.filter(isSame),
    gone: names.filter((name) => !(name in b)),
    new: Object.keys(b).filter((name) => !(name in a)),
    other: Object.fromEntries(
      names.filter((name) => name in b && !isSame(name)).map((name) => [name, otherKeys(a[name], b[name])]),
    ),
    more: kindsOf(asked).slice(known.length),
  };
}

function otherKeys(a: unknown, b: unknown): JsonObject[string] {
  if (typeof a !== 'object' || typeof b !== 'object') return b as string;
  const [old, now] = [a as JsonObject, b as JsonObject];
  return Object.keys({ ...old, ...now }).filter((key) => JSON.stringify(old[key]) !== JSON.stringify(now[key]));
}

function kindsOf({ body }: RecordedRequest): readonly string[] {
  return (body['input'] as JsonObject[]).map(({ type, role }) =>
    role === undefined ? String(type) : `${String(type)} ${String(role)}`,
  );
}

/** So many bytes of a body come before the end of its input. */
function endOfInput({ decodedBytes }: RecordedRequest): number {
  return decodedBytes.lastIndexOf('],"stream":');
}

function place({ decodedBytes }: RecordedRequest, text: string): number {
  return decodedBytes.indexOf(text) + 1;
}

function authorization({ headers }: RecordedRequest): unknown {
  return [headers.authorization, headers['chatgpt-account-id']];
}
