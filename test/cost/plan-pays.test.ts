import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { SpendingLimits } from '../../src/core/envelope/settings.ts';
import type { WireFormat } from '../../src/adapters/model/http/http-client.ts';
import { responsesFormat } from '../../src/adapters/model/responses/client.ts';
import { answer, say, type ScriptStep } from '../../src/testing/index.ts';
import { saysLong } from '../compaction/talk.ts';
import { LiveThread } from '../harness/live-thread.ts';

/** The scripted model counts 100 in, 20 of them cached, and 10 out. */
const own = ['input = 2', 'cached_input = 0.5', 'output = 10'];
const done = answer({ items: [say('Done.')] });
const oneAnswer = 80 * 2000 + 20 * 500 + 10 * 10_000;

/** A thread at the provider `openai`, whose requests reach the scripted model instead. */
async function openOpenai({ by, prices = [], limits, model = 'gpt-6-sol', first = done }: Given) {
  const config = prices.length === 0 ? '' : `[model_prices."openai/gpt-6-sol"]\n${prices.join('\n')}\n`;
  const live = await LiveThread.in([first, done], config);
  const { home } = live.place;
  const tokens = { id_token: 'id', access_token: 'access', refresh_token: 'refresh', account_id: 'account' };
  if (by === 'login') writeFileSync(join(home, 'auth.json'), JSON.stringify({ OPENAI_API_KEY: null, tokens }));
  const here: WireFormat = {
    ...responsesFormat,
    client: (options) =>
      responsesFormat.client({
        ...options,
        async credentials(wanted) {
          const found = await options.credentials(wanted);
          return found.kind === 'bearer' ? { ...found, baseUrl: live.model.url } : found;
        },
      }),
  };
  const env = { PATH: process.env['PATH'], CAPSTAN_HOME: home, ...(by === 'key' && { OPENAI_API_KEY: 'sk-test' }) };
  const overrides = ['model_provider="openai"', `model="${model}"`, 'features.responses_websockets=false'];
  const options = { env, config: overrides, formats: [here] };
  await live.open(options, limits === undefined ? {} : { limits });
  return { live, options };
}

interface Given {
  readonly first?: ScriptStep;
  readonly by: 'key' | 'login';
  readonly prices?: readonly string[];
  readonly limits?: SpendingLimits;
  readonly model?: string;
}

it('a list price counts requests with a key', async () => {
  const { live } = await openOpenai({ by: 'key' });
  expect(await live.turn('go')).toMatchObject({ kind: 'completed' });
  expect(live.thread.usage.total.cost?.nanoUsd).toBeGreaterThan(0);
});

it('with a ChatGPT login a plan pays: requests have no cost', async () => {
  const { live } = await openOpenai({ by: 'login' });
  expect(await live.turn('go')).toMatchObject({ kind: 'completed' });
  const { total, cost } = live.thread.usage.total;
  expect([total, cost]).toEqual([110, undefined]);
});

it('with a ChatGPT login a price that the user set counts, and so does a limit by it', async () => {
  const { live } = await openOpenai({ by: 'login', prices: own, limits: { turnCost: 5 } });
  expect(await live.turn('go')).toMatchObject({ kind: 'completed' });
  expect(live.thread.usage.total.cost).toEqual({ nanoUsd: oneAnswer, unpriced: 0 });
});

it.each([
  { model: 'gpt-6-sol', limits: { turnCost: 5 } },
  { model: 'gpt-6-sol', limits: { threadCost: 5 } },
  // Without a list price it is the plan that pays, too.
  { model: 'gpt-5.5', limits: { turnCost: 5 } },
])('with a ChatGPT login a limit in money is refused, and why: %j', async ({ model, limits }) => {
  const { live } = await openOpenai({ by: 'login', limits, model });
  expect(await live.turn('go')).toMatchObject({
    kind: 'failed',
    outcome: {
      code: 'price-unknown',
      message: `A limit on cost is set, and no price applies to ${model} from openai: with a ChatGPT login, the plan of the account pays.`,
      next: expect.stringContaining('Set a limit in tokens instead'),
    },
  });
  expect(live.model.requests).toEqual([]);
});

it('a compaction by hand under such a limit is refused as well, and a higher limit does not help', async () => {
  const { live, options } = await openOpenai({ by: 'login', first: saysLong() });
  await live.turn('go');
  await live.open(options, { limits: { turnCost: 500 } });
  const { signal } = new AbortController();
  expect(JSON.stringify(await live.thread.compact({ signal }))).toContain('the plan of the account pays');
  expect(live.model.requests).toHaveLength(1);
});

it.each([
  { by: 'key', prices: [], cost: { nanoUsd: expect.any(Number) as number, unpriced: 0 } },
  { by: 'login', prices: [], cost: undefined },
  { by: 'login', prices: own, cost: { nanoUsd: oneAnswer, unpriced: 0 } },
] as const)('a step that is sent again is counted in the same way: $by $prices', async ({ by, prices, cost }) => {
  const { live, options } = await openOpenai({ by, prices });
  await live.turn('go');
  await live.close();
  const engine = await live.engine(options);
  const { signal } = new AbortController();
  const rerun = await engine.rerun({ id: live.id, lines: live.place.lines() }, { request: 1, signal });
  if ('code' in rerun) throw new Error(rerun.message);
  expect([rerun.before.usage?.cost, rerun.now.usage?.cost]).toEqual([cost, cost]);
});
