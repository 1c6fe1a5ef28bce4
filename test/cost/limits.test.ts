import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { words } from '../../src/index.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, callTool, incomplete, say, type ScriptStep } from '../../src/testing/index.ts';
import { agentScene } from '../agents/agent-scene.ts';
import { type Format, formats } from '../formats/formats.ts';
import { checkThread, FormatThread } from '../formats/format-thread.ts';
import { LiveThread } from '../harness/live-thread.ts';

const prices = '[model_prices."scripted/gpt-5.5"]\ninput = 2\ncached_input = 0.5\noutput = 10\n';
const { signal } = new AbortController();
const plan = (usage = {}): ScriptStep => answer({ items: [callTool('update_plan', { plan: [] })], usage });
const done = answer({ items: [say('Done.')] });

/** The limit in a request for the length of its answer. */
function outputLimit({ wire }: Format, body: JsonObject): unknown {
  if (wire === 'responses') return body['max_output_tokens'];
  return body['max_completion_tokens'] ?? body['max_tokens'];
}

describe.each(formats)('$title', (format) => {
  it('ends the turn before a request that could pass the limit, and a higher limit continues it', async () => {
    const script = [plan({ input: 9000, cachedInput: 0, output: 1000 }), done, done];
    const thread = await FormatThread.in(format, script);
    await thread.open({ limits: { turnTokens: 20_000 } });
    const { live } = thread;
    // The first request weighs a few thousand tokens; the second one what the provider counted, and what is new.
    expect(await live.turn('go')).toMatchObject({
      kind: 'failed',
      outcome: {
        code: 'spending-limit',
        message: expect.stringMatching(
          /^The next request could pass max_turn_tokens \(20,000 tokens\): 10,000 tokens used so far, and the request needs up to 1\d,\d{3} tokens\. Capstan did not send it\.$/,
        ),
        next: expect.stringContaining('raise max_turn_tokens (exec: --max-tokens) and resume the thread.'),
      },
    });
    expect(live.model.requests).toHaveLength(1);
    const first = outputLimit(format, live.model.requests[0]!.body) as number;
    expect(first).toBeGreaterThan(2000);
    expect(first).toBeLessThan(20_000);
    await thread.open({ limits: { turnTokens: 80_000 } });
    expect(await live.turn('Continue.')).toMatchObject({ kind: 'completed' });
    expect(outputLimit(format, live.model.requests[1]!.body)).toBe(32_000);
    await checkThread(thread);
  });

  it('an answer that ends at the limit ends the turn with it', async () => {
    const cut = incomplete({ reason: 'max_output_tokens', items: [say('So far')], usage: {} });
    const thread = await FormatThread.in(format, [cut]);
    await thread.open({ limits: { threadTokens: 20_000 } });
    expect(await thread.live.turn('go')).toMatchObject({
      kind: 'failed',
      outcome: {
        code: 'spending-limit',
        message: expect.stringMatching(
          /^The answer ended after [\d,]+ tokens: a longer one could have passed max_thread_tokens/,
        ),
      },
    });
    await checkThread(thread);
  });

  it('without a limit, requests say nothing new', async () => {
    const thread = await FormatThread.in(format, [done]);
    await thread.open();
    await thread.live.turn('go');
    expect(outputLimit(format, thread.live.model.requests[0]!.body)).toBe(
      format.wire === 'anthropic' ? 32_000 : undefined,
    );
  });
});

it('a limit in money counts what tokens cost, and the thread continues under a higher one', async () => {
  const live = await LiveThread.in([plan({ input: 10_000, cachedInput: 0, output: 3000 }), done], prices);
  const { place } = live;
  const run = await place.run('exec', '--max-cost', '0.08', '--json', 'go');
  expect(run.code).toBe(1);
  expect(run.events.at(-1)).toMatchObject({
    type: 'turn.failed',
    error: {
      message: expect.stringMatching(
        /^The next request could pass max_turn_cost \(\$0\.08\): \$0\.05 used so far, and the request needs up to \$0\.04\d?\. /,
      ),
    },
  });
  expect(live.model.requests).toHaveLength(1);
  const more = await place.run('exec', 'resume', '--last', '--max-cost', '0.5', 'Continue.');
  expect(more.code).toBe(0);
  expect(live.model.requests).toHaveLength(2);
});

/** A thread whose requests an account with a plan pays. */
async function withLogin(turnTokens: number, model: JsonObject = { slug: 'gpt-5.5', context_window: 200_000 }) {
  const live = await LiveThread.in([done]);
  const { home, root } = live.place;
  const path = join(root, 'models.json');
  writeFileSync(path, JSON.stringify({ models: [model] }));
  const tokens = { id_token: 'id', access_token: 'access', refresh_token: 'refresh', account_id: 'account' };
  writeFileSync(join(home, 'auth.json'), JSON.stringify({ OPENAI_API_KEY: null, tokens }));
  const overrides = [
    `model_providers.plan={ base_url = "${live.model.url}", requires_openai_auth = true }`,
    'model_provider="plan"',
    `model_catalog_json="${path}"`,
    `model="${String(model['slug'])}"`,
  ];
  const env = { PATH: process.env['PATH'], CAPSTAN_HOME: home };
  await live.open({ env, config: overrides }, { limits: { turnTokens } });
  return live;
}

it('with a ChatGPT login the message says that the longest answer counts, and why', async () => {
  const live = await withLogin(20_000);
  const ended = await live.turn('go');
  expect(ended).toMatchObject({
    kind: 'failed',
    outcome: {
      code: 'spending-limit',
      message: expect.stringMatching(
        /^The next request could pass max_turn_tokens \(20,000 tokens\): 0 tokens used so far, and the request needs up to 3\d,\d{3} tokens\. That counts the longest answer of gpt-5\.5, 32,000 tokens: with a ChatGPT login, requests cannot limit their answers\. Capstan did not send it\.$/,
      ),
    },
  });
  expect(live.model.requests).toEqual([]);
});

it('of a small window no more counts than it has space for', async () => {
  const small = await withLogin(18_000, { slug: 'small', context_window: 16_000 });
  expect(await small.turn('go')).toMatchObject({ kind: 'completed' });
  expect(small.model.requests[0]!.body['max_output_tokens']).toBeUndefined();
});

it('a limit in money without a price is refused before anything is sent', async () => {
  const live = await LiveThread.in([done]);
  const run = await live.place.run('exec', '--max-cost', '1', 'go');
  expect(run.code).toBe(1);
  expect(run.stderr).toContain('A limit on cost is set, and no price is known for gpt-5.5 from scripted.');
  expect(run.stderr.replaceAll(/\s+/g, ' ')).toContain('Add [model_prices."scripted/gpt-5.5"] with input');
  expect(live.model.requests).toEqual([]);
});

it.each([
  ['--max-cost', 'abc', 'max_turn_cost must be an amount of US dollars above 0, not "abc"'],
  ['--max-cost', '0', 'max_turn_cost must be an amount of US dollars above 0, not 0'],
  ['--max-tokens', '1.5', 'max_turn_tokens must be a whole number of at least 1, not 1.5'],
])('%s %s is refused', async (flag, value, message) => {
  const live = await LiveThread.in([]);
  const run = await live.place.run('exec', flag, value, 'go');
  expect([run.code, run.stderr.replaceAll(/\s+/g, ' ')]).toEqual([1, expect.stringContaining(message)]);
});

it('a limit of the thread counts all of its turns, and those of another process', async () => {
  const live = await LiveThread.in([done, done, done]);
  const limits = { threadTokens: 12_000 };
  await live.open({}, { limits });
  expect(await live.turn('one')).toMatchObject({ kind: 'completed' });
  await live.open({}, { limits: { threadTokens: 60 } });
  expect(await live.turn('two')).toMatchObject({
    kind: 'failed',
    outcome: { message: expect.stringContaining('max_thread_tokens (60 tokens): 90 tokens used so far') },
  });
  await live.open({}, { limits });
  expect(await live.turn('three')).toMatchObject({ kind: 'completed' });
});

it('agents count: none of them, and not the root, sends a request that could pass the limit', async () => {
  // As much as the task of an agent weighs, which is the largest part of its requests.
  const large = { input: 16_000, cachedInput: 0, output: 1000 };
  const task = 'word '.repeat(16_000);
  const steps = [
    answer({ items: ['a', 'b'].map((name) => callTool('spawn_agent', { message: `TASK ${name}: ${task}`, name })) }),
    answer({ items: [callTool('wait_agent', { until: 'all' })] }),
  ];
  const agent = (): ScriptStep => plan(large);
  const { begin, of } = await agentScene(
    { root: ({ index }) => steps[index] ?? done, a: agent, b: agent },
    { open: { limits: { turnTokens: 60_000 } } },
  );
  const { thread } = await begin();
  const ended = await thread.run({ input: words('go'), signal });
  const { input, cachedInput, output } = thread.usage.total;
  expect(input - cachedInput + output).toBeLessThanOrEqual(60_000);
  // The agent that asks first decides which one is stopped first.
  expect(of('a').length + of('b').length).toBeLessThan(4);
  expect(JSON.stringify([ended, of('root')])).toContain('could pass max_turn_tokens');
});

it('compaction counts: a request for a checkpoint that could pass the limit is not sent, and history stays', async () => {
  const long = answer({
    items: [say('word '.repeat(20_000))],
    usage: { input: 30_000, cachedInput: 0, output: 20_000 },
  });
  const live = await LiveThread.in([long, done], 'model_context_window = 40000\n');
  await live.open({}, { limits: { threadTokens: 70_000 } });
  await live.turn('one');
  const before = live.thread.state.history.length;
  const ended = await live.turn('two');
  expect(ended).toMatchObject({ kind: 'failed', outcome: { code: 'spending-limit' } });
  expect(live.model.requests).toHaveLength(1);
  expect(live.thread.state.history.length).toBeGreaterThanOrEqual(before);
});
