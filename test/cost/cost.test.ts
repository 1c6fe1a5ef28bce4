import { describe, expect, it } from 'vitest';
import { words } from '../../src/index.ts';
import { noUsage } from '../../src/protocol/usage.ts';
import { answer, callTool, cutAfter, httpError, incomplete, say } from '../../src/testing/index.ts';
import { agentScene } from '../agents/agent-scene.ts';
import { formats } from '../formats/formats.ts';
import { FormatThread } from '../formats/format-thread.ts';
import { LiveThread } from '../harness/live-thread.ts';

const prices = '[model_prices."scripted/gpt-5.5"]\ninput = 2\ncached_input = 0.5\noutput = 10\n';
const { signal } = new AbortController();
/** The scripted model counts 100 in, 20 of them cached, and 10 out. */
const oneAnswer = 80 * 2000 + 20 * 500 + 10 * 10_000;

describe.each(formats)('$title', (format) => {
  it('a thread counts what its answers cost, and its file says so again', async () => {
    const script = [answer({ items: [callTool('update_plan', { plan: [] })] }), answer({ items: [say('Done.')] })];
    const thread = await FormatThread.in(format, script, { config: prices });
    await thread.open();
    await thread.live.turn('go');
    const { cost } = thread.live.thread.usage.total;
    expect(cost).toEqual({ nanoUsd: 2 * oneAnswer, unpriced: 0 });
    await thread.open();
    expect(thread.live.thread.usage.total.cost).toEqual(cost);
  });

  it('an answer that ended before it was complete costs what the provider counted', async () => {
    const cut = incomplete({ reason: 'max_output_tokens', items: [say('Half')], usage: {} });
    const thread = await FormatThread.in(format, [cut], { config: prices });
    await thread.open();
    await thread.live.turn('go');
    const { total, estimated, cost } = thread.live.thread.usage.total;
    // A Messages stream also counts its beginning.
    expect([101, 110]).toContain(total);
    expect([estimated, cost?.unpriced]).toEqual([undefined, 0]);
  });

  it('an answer that no provider counted is estimated, marked, and has a cost', async () => {
    const thread = await FormatThread.in(format, [answer({ items: [say('Done.')], usage: 'none' })], {
      config: prices,
    });
    await thread.open();
    await thread.live.turn('go');
    const { total, estimated = 0, cost } = thread.live.thread.usage.total;
    expect(total).toBe(0);
    expect(estimated).toBeGreaterThan(1000);
    expect(cost?.nanoUsd).toBeGreaterThan(estimated * 1900);
    expect(cost?.unpriced).toBe(0);
  });
});

it('shows the cost after a turn, of a thread, of a request and to programs', async () => {
  const live = await LiveThread.in([answer({ items: [say('A.')] }), answer({ items: [say('B.')] })], prices);
  const { place } = live;
  const first = await place.run('exec', 'one');
  expect(first.stderr).toContain('tokens used: 90; $0.00027\n');
  const second = await place.run('exec', 'resume', '--last', '--json', 'two');
  expect(second.events.at(-1)).toEqual({
    type: 'turn.completed',
    usage: expect.objectContaining({ input_tokens: 200, cost_usd: 0.00054, unpriced_tokens: 0 }),
  });
  const shown = await place.run('threads', 'show', '--last');
  expect(shown.stdout).toContain('  200 in (40 cached), 20 out, $0.00054 ');
  expect(shown.stdout).toContain('100 in (20 cached), 10 out, $0.00027');
  expect((await place.run('context')).stdout).toContain('All requests of the thread: $0.00054.');
  expect((await place.run('context', '--request', '1')).stdout).toContain('10 answered, $0.00027');
});

it('without a price the cost is unknown, and nowhere zero', async () => {
  const { place } = await LiveThread.in([answer({ items: [say('A.')] })]);
  const ran = await place.run('exec', '--json', 'one');
  expect(JSON.stringify(ran.events)).not.toContain('cost');
  const shown = await place.run('threads', 'show', '--last');
  expect(shown.stdout).toContain('100 in (20 cached), 10 out, cost unknown ');
  expect((await place.run('context')).stdout).toContain('cost unknown: set model_prices to have it counted');
  expect(shown.stdout).not.toContain('$0');
});

it('a model without a price beside one that has a price makes the cost a least one', async () => {
  const live = await LiveThread.in([answer({ items: [say('A.')] }), answer({ items: [say('B.')] })], prices);
  await live.place.run('exec', 'one');
  const { stderr } = await live.place.run('exec', 'resume', '--last', '-m', 'gpt-5.4', 'two');
  expect(stderr).toContain(
    'tokens used: 90 in this turn, 180 in the thread; cost unknown in this turn, at least $0.00027 (110 tokens without a price) in the thread\n',
  );
});

it('what an agent cost is part of what its thread cost', async () => {
  const steps = [
    answer({ items: [callTool('spawn_agent', { message: 'TASK a: x', name: 'a' })] }),
    answer({ items: [callTool('wait_agent', {})] }),
  ];
  const done = answer({ items: [say('Done.')] });
  const { live, begin } = await agentScene(
    { root: ({ index }) => steps[index] ?? done, a: () => done },
    { config: prices },
  );
  const { thread, engine } = await begin();
  await thread.run({ input: words('go'), signal });
  expect(thread.usage.total.cost).toEqual({ nanoUsd: 4 * oneAnswer, unpriced: 0 });
  await engine.close();
  const { stdout } = await live.place.run('threads', 'show', thread.id, '--tree');
  expect(stdout).toMatch(
    /^\/root {2}completed, 360 tokens used, \$0\.0011 .*\n {2}a {2}completed, 90 tokens used, \$0\.00027 /,
  );
});

it('an answer that broke off costs what came of it, by estimate; a request that was refused costs nothing', async () => {
  const refused = httpError({ status: 400, body: { error: { message: 'no', param: 'x' } } });
  const half = cutAfter({ bytes: 400, of: answer({ items: [say('One two three four five.')], deltas: true }) });
  const live = await LiveThread.in([refused, half, answer({ items: [say('Done.')] })], prices);
  await live.turn('one');
  expect(live.thread.usage.total).toEqual(noUsage);
  await live.turn('two');
  const { total, estimated = 0, cost } = live.thread.usage.total;
  expect([total, cost?.unpriced]).toEqual([110, 0]);
  expect(estimated).toBeGreaterThan(1000);
});
