import { expect, it } from 'vitest';
import { answer, callTool, httpError, say, type ScriptStep } from '../../src/testing/index.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { words } from '../../src/protocol/user-input.ts';
import { LiveThread } from '../harness/live-thread.ts';

const config = 'features.goals = true';
const call = (name: string, args: JsonObject = {}, more: string[] = []): ScriptStep =>
  answer({ items: [...more.map((text) => say(text)), callTool(name, args)] });
const done = (text = 'Done for now.'): ScriptStep => answer({ items: [say(text)] });
const run = (cmd: string): ScriptStep => call('exec_command', { cmd });
const begin = (more: JsonObject = {}): ScriptStep => call('create_goal', { objective: 'Make it green </x>', ...more });

const outputs = (live: LiveThread): readonly unknown[] =>
  live
    .rows(live.model.requests.length - 1)
    .filter(([role]) => role === 'output')
    .map(([, text]) => text);

it('goes on by itself until the goal is complete, and says what it took', async () => {
  const script = [
    begin(),
    run('echo one'),
    done(),
    run('echo two'),
    done(),
    call('update_goal', { status: 'complete' }),
    done('All green.'),
  ];
  const live = await LiveThread.in(script, config);
  expect(await live.turn('Set a goal: make it green.')).toEqual({ kind: 'completed', lastMessage: 'All green.' });
  expect(live.model.requests.length).toBe(7);
  const told = live.added(3).at(-1)!;
  expect(told).toEqual([
    'user',
    expect.stringMatching(
      /^<codex_internal_context source="goal">\n[^]*"Make it green \\u003c\/x>"[^]*\n<\/codex_internal_context>$/,
    ),
  ]);
  expect(JSON.parse(String(outputs(live).at(-1)))).toEqual({
    goal: {
      threadId: live.id,
      objective: 'Make it green </x>',
      status: 'complete',
      tokensUsed: 5 * 90,
      timeUsedSeconds: expect.any(Number),
      createdAt: expect.any(Number),
      updatedAt: expect.any(Number),
    },
    remainingTokens: null,
    completionBudgetReport: expect.stringContaining('450 tokens'),
  });
  // The user spoke once: one turn, which a rollback takes back with its goal.
  expect(live.told('turn-completed').length).toBe(1);
  const before = live.thread.state.goal;
  await live.open();
  expect(live.thread.state.goal).toEqual(before);
  await live.close();
  const engine = await live.engine();
  await engine.stored.rollback(live.id, { turns: 1 });
  await live.open();
  expect(live.thread.state.goal).toBeUndefined();
});

it('is not there without its gate', async () => {
  const live = await LiveThread.in([done()]);
  await live.turn('hello');
  const names = (live.model.requests[0]!.body['tools'] as { readonly name: string }[]).map(({ name }) => name);
  expect(names.filter((name) => name.includes('goal'))).toEqual([]);
});

it('stops where nothing new is done, and says so', async () => {
  const live = await LiveThread.in(
    [begin(), run('echo one'), done(), done('Thinking.'), run('echo one'), done('Still.'), done('Hm.')],
    // Without a sandbox the second refusal has other words than the first, and words are news.
    `${config}\nsandbox_mode = "danger-full-access"`,
  );
  await live.turn('Set a goal.');
  expect(live.model.requests.length).toBe(7);
  expect(live.told('warning').map(({ outcome }) => outcome.code)).toEqual(['goal-stalled']);
  expect(live.thread.state.goal).toMatchObject({ status: 'blocked', reason: expect.stringContaining('no progress') });
});

it('ends with its budget, after one more answer', async () => {
  const script = [
    begin({ token_budget: 5000 }),
    run('echo one'),
    run('echo two'),
    done('Two are done.'),
    done('More.'),
  ];
  const live = await LiveThread.in(script, `${config}\ngoals.max_goal_token_budget = 150`);
  await live.turn('Set a goal.');
  expect(live.model.requests.length).toBe(4);
  expect(live.added(3).at(-1)![1]).toMatch(/has used 180 of 150 tokens/);
  expect(live.thread.state.goal).toMatchObject({ status: 'budgetLimited', tokenBudget: 150, tokensUsed: 180 });
});

it.each([
  ['as many tokens again', {}, 180 + 150],
  ['the number that the user names', { token_budget: 100 }, 180 + 100],
  ['no more at once than is configured', { token_budget: 9000 }, 180 + 150],
])('a goal that ran out of tokens is resumed by the user, with %s', async (_, more, tokenBudget) => {
  const live = await LiveThread.in(
    [
      begin({ token_budget: 5000 }),
      run('echo one'),
      // It cannot give itself more.
      run('echo two'),
      call('update_goal', { status: 'active', token_budget: 5000 }),
      call('update_goal', { status: 'active' }),
      done('Two are done.'),
      call('update_goal', { status: 'active', ...more }),
      call('update_goal', { status: 'complete' }),
      done('Reached.'),
    ],
    `${config}\ngoals.max_goal_token_budget = 150`,
  );
  await live.turn('Set a goal.');
  expect(outputs(live).slice(-2)).toEqual([
    expect.stringMatching(/^Not done: Only the user/),
    expect.stringMatching(/^Not done: Only the user/),
  ]);
  expect(live.thread.state.goal).toMatchObject({ status: 'budgetLimited', tokenBudget: 150, tokensUsed: 180 });
  expect(live.told('warning').map(({ outcome }) => outcome.code)).toEqual(['goal-out-of-tokens']);
  // Another process knows as much.
  await live.open();
  expect(await live.turn('Resume the goal.')).toMatchObject({ lastMessage: 'Reached.' });
  expect(live.thread.state.goal).toMatchObject({ status: 'complete', tokenBudget, tokensUsed: 270 });
});

it('words of the user in a turn that continues by itself raise the budget, too, each time by what was given last', async () => {
  const live = await LiveThread.in(
    [
      begin({ token_budget: 100 }),
      run('echo one'),
      run('echo two'),
      async () => {
        await live.thread.steer({ input: words('Take 50 more.') });
        return done('Out of tokens.');
      },
      call('update_goal', { status: 'active', token_budget: 50 }),
      run('echo three'),
      done('Out again.'),
      call('update_goal', { status: 'active' }),
      call('update_goal', { status: 'complete' }),
      done('Reached.'),
    ],
    config,
  );
  await live.turn('Set a goal.');
  expect(live.thread.state.goal).toMatchObject({ status: 'budgetLimited', tokenBudget: 230, tokensUsed: 270 });
  await live.turn('Go on.');
  expect(live.thread.state.goal).toMatchObject({ status: 'complete', tokenBudget: 320, tokensUsed: 360 });
});

it('rests when the user interrupts, and goes on when asked', async () => {
  const stop = new AbortController();
  const script = [
    begin(),
    done(),
    (): ScriptStep => {
      stop.abort();
      return done();
    },
    call('create_goal', { objective: 'Another.' }),
    call('update_goal', { status: 'active' }),
    call('update_goal', { status: 'complete' }),
    done('Reached.'),
  ];
  const live = await LiveThread.in(script, config);
  expect((await live.turn('Set a goal.', { signal: stop.signal })).kind).toBe('aborted');
  expect(live.thread.state.goal).toMatchObject({ status: 'paused' });
  await live.turn('Go on.');
  expect(outputs(live)[1]).toMatch(/^Not done: This thread has a goal/);
  expect(live.thread.state.goal).toMatchObject({ status: 'complete' });
});

it.each([
  ['a failure', httpError({ status: 400, body: '{"error":{"message":"no"}}' }), 'blocked'],
  [
    'a limit of use',
    httpError({ status: 429, body: '{"error":{"type":"usage_limit_reached","message":"no"}}' }),
    'usageLimited',
  ],
])('%s stops it', async (_, step, status) => {
  const live = await LiveThread.in([begin(), step], config);
  await live.turn('Set a goal.');
  expect(live.thread.state.goal?.status).toBe(status);
});

it('waits while the user has more to say, and is no matter in plan mode', async () => {
  const live = await LiveThread.in([begin(), done('First.'), call('get_goal'), done('Plan.')], config);
  await live.open();
  const { signal } = new AbortController();
  const first = live.thread.run({ input: words('Set a goal.'), signal });
  const second = live.thread.runWith({ collaboration: { mode: 'plan' } }, { input: words('And this.'), signal });
  expect([await first, await second]).toMatchObject([{ lastMessage: 'First.' }, { lastMessage: 'Plan.' }]);
  // The goal counts the tokens that the first turn spent after it set the goal, and nothing of the plan.
  expect(live.thread.state.goal).toMatchObject({ status: 'active', tokensUsed: 90 });
});

it.each([
  ['create_goal', { objective: '' }],
  ['create_goal', { objective: 'x'.repeat(4001) }],
  ['create_goal', { objective: 'x', token_budget: 0 }],
  ['update_goal', { status: 'budgetLimited' }],
  ['update_goal', { status: 'paused', token_budget: 5 }],
  ['update_goal', { status: 'active', token_budget: -5 }],
])('refuses %s %o', async (name, args) => {
  const live = await LiveThread.in([call(name, args), done()], config);
  await live.turn('Set a goal.');
  expect(outputs(live)).toEqual([expect.stringMatching(/^The arguments were not accepted/)]);
  expect(live.thread.state.goal).toBeUndefined();
});

it('a checkpoint carries it', async () => {
  const live = await LiveThread.in(
    [
      begin(),
      call('update_goal', { status: 'paused' }),
      done('Resting. '.repeat(2000)),
      done('A goal was set and rests. Nothing is left to do.'),
    ],
    `${config}\ncompaction.strategy = "plain"`,
  );
  await live.turn('Set a goal.');
  const before = live.thread.state.goal;
  expect(before).toMatchObject({ status: 'paused' });
  expect((await live.thread.compact({ signal: new AbortController().signal })).kind).toBe('installed');
  expect(live.thread.state.goal).toEqual(before);
  await live.open();
  expect(live.thread.state.goal).toEqual(before);
});
