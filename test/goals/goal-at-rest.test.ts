import { expect, it } from 'vitest';
import { answer, callTool, hang, httpError, say, type ScriptStep } from '../../src/testing/index.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { inputOf, scene, textsOf } from '../harness/scene.ts';
import { LiveThread } from '../harness/live-thread.ts';

const config = 'features.goals = true';
const call = (name: string, args: JsonObject = {}): ScriptStep => answer({ items: [callTool(name, args)] });
const done = (text: string) => answer({ items: [say(text)] });
const begin = call('create_goal', { objective: 'All is green.' });
const fails = httpError({ status: 400, body: '{"error":{"message":"no"}}' });
const limited = httpError({ status: 429, body: '{"error":{"type":"usage_limit_reached","message":"no"}}' });

const rests = expect.stringMatching(/^<codex_internal_context source="goal">\nThe goal of this thread rests, because /);

it.each([
  ['a failed request', fails, 'the turn failed', 'blocked'],
  ['a limit of use', limited, 'limit of use', 'stopped by the usage limit'],
])('after %s the user and the model read that the goal rests, and the hint resumes it', async (_, step, why, word) => {
  const { model, place } = await scene(
    [
      begin,
      step,
      call('update_goal', { status: 'active' }),
      call('update_goal', { status: 'complete' }),
      done('Green.'),
    ],
    config,
  );
  const failed = await place.run('exec', 'Set a goal: all is green.');
  expect(failed.code).toBe(1);
  expect(failed.stderr).toContain(
    `The goal of this thread rests, because ${why.startsWith('the') ? why : "the provider's"}`,
  );
  const [, id, said] = /To resume: capstan exec resume (\S+) "(.*)"\n$/.exec(failed.stderr) ?? [];
  expect(said).toBe('Resume the goal.');

  const listed = (await place.run('threads', 'list')).stdout;
  expect(listed.split('\n')[0]).toMatch(new RegExp(`  goal ${word}$`));
  const shown = (await place.run('threads', 'show', '--last')).stdout;
  expect(shown).toContain(`The goal is ${word}\n  All is green. (0 tokens used)`);
  expect(shown).toContain(`To resume: capstan exec resume ${id} "Resume the goal."\n`);
  const json = JSON.parse((await place.run('threads', 'show', '--last', '--json')).stdout) as JsonObject;
  expect(json['goal']).toMatchObject({ objective: 'All is green.' });

  const resumed = await place.run('exec', 'resume', id!, said!);
  expect([resumed.code, resumed.stdout]).toEqual([0, 'Green.\n']);
  expect(resumed.stderr).toContain('The goal of this thread rests, so the thread does not continue by itself.');
  expect(textsOf(inputOf(model, 2))).toContainEqual(rests);
  expect((await place.run('threads', 'list')).stdout.split('\n')[0]).toMatch(/  goal complete$/);
});

it('after an interrupt, too', async () => {
  const { model, place } = await scene([begin, hang({ afterBytes: 0, of: done('never') }), done('Hello.')], config);
  const running = place.start(['exec', 'Set a goal: all is green.']);
  await model.request(1);
  running.child.kill('SIGINT');
  const { stderr } = await running.finished;
  expect(stderr).toContain('The goal of this thread rests, because you interrupted the turn.');
  expect(stderr).toMatch(/\nThe turn was interrupted\.\nTo resume: capstan exec resume \S+ "Resume the goal\."\n$/);
  await place.run('exec', 'resume', '--last', 'Hi.');
  expect(textsOf(inputOf(model, 2))).toContainEqual(rests);
});

it('where nothing new is done the model reads that the goal rests', async () => {
  const live = await LiveThread.in([begin, done('1'), done('2'), done('3'), done('Hello.')], config);
  await live.turn('Set a goal.');
  await live.turn('Hi.');
  expect(live.added(4).map(([, text]) => text)).toContainEqual(rests);
});

it('a goal that was taken back is in no list', async () => {
  const { place } = await scene([done('Hello.'), begin, fails], config);
  await place.run('exec', 'Hi.');
  await place.run('exec', 'resume', '--last', 'Set a goal.');
  expect((await place.run('threads', 'list')).stdout).toContain('  goal blocked\n');
  await place.run('threads', 'rollback', '--last');
  expect((await place.run('threads', 'list')).stdout).not.toContain('goal blocked');
});

it('the tools for goals print words, and a budget that the configuration cuts', async () => {
  const { place } = await scene(
    [
      call('get_goal'),
      call('create_goal', { objective: 'All is green.', token_budget: 100_000 }),
      call('update_goal', { status: 'complete' }),
      done('Green.'),
    ],
    `${config}\ngoals.max_goal_token_budget = 200`,
  );
  const { stderr } = await place.run('exec', 'Set a goal.');
  expect(stderr.split('\n').slice(1)).toEqual([
    'tool get_goal',
    '  no goal',
    '  [completed]',
    'tool create_goal',
    '  goal active: All is green.',
    '  0 of 200 tokens used',
    '  100,000 tokens were asked for; goals.max_goal_token_budget allows no more.',
    '  [completed]',
    'tool update_goal',
    '  goal complete: All is green.',
    '  90 of 200 tokens used',
    '  [completed]',
    'Green.',
    'tokens used: 360',
    '',
  ]);
});
