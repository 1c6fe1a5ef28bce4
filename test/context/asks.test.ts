import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { Line } from '../../src/protocol/line.ts';
import {
  answer,
  callTool,
  hang,
  reason,
  say,
  type ScriptedModel,
  startScriptedModel,
} from '../../src/testing/index.ts';
import { type Finished, Place } from '../harness/run-capstan.ts';
import { scene, threadId } from '../harness/scene.ts';

interface Share {
  readonly name: string;
  readonly tokens: number;
  readonly items: number;
  readonly turns: readonly number[];
  readonly measure: string;
  readonly cached?: number;
}
interface Window {
  readonly total: number;
  readonly measure: string;
  readonly counted?: JsonObject;
  readonly families: readonly { readonly family: string; readonly tokens: number; readonly shares: readonly Share[] }[];
  readonly parts: readonly { readonly tokens: number; readonly family: string; readonly name: string }[];
  readonly budgets: readonly {
    readonly name: string;
    readonly used: number;
    readonly limit: number;
    readonly unit: string;
  }[];
  readonly unknown: readonly string[];
  readonly next: { readonly told: readonly string[]; readonly tokens: number };
}

const counts = (input: number, cachedInput: number, output: number) => ({
  input,
  cachedInput,
  output,
  total: input + output,
});

interface AskedThread {
  readonly model: ScriptedModel;
  readonly place: Place;
  readonly id: string;
  readonly last: Finished;
}

/** Three turns: a command, nothing new, then another AGENTS.md and another effort. Looking at it changes nothing. */
let asked: AskedThread;

beforeAll(async () => {
  const model = await startScriptedModel([
    answer({ items: [reason('Hm.'), callTool('exec_command', { cmd: 'seq 1 300' })], usage: counts(4000, 0, 60) }),
    answer({ items: [say('Done.')], usage: counts(4500, 4000, 20) }),
    answer({ items: [say('Second.')], usage: counts(4600, 4500, 20) }),
    answer({ items: [say('Third.')], usage: counts(4700, 0, 25) }),
  ]);
  const place = new Place(model.url);
  writeFileSync(join(place.workspace, 'AGENTS.md'), 'Use tabs.');
  const first = await place.run('exec', '--json', 'one');
  await place.run('exec', 'resume', '--last', 'two');
  writeFileSync(join(place.workspace, 'AGENTS.md'), 'Use dots.');
  const effort = ['-c', 'model_reasoning_effort="high"'];
  const last = await place.run('exec', '--json', '--context-events', ...effort, 'resume', '--last', 'three');
  asked = { model, place, id: threadId(first), last };
});

afterAll(async () => {
  await asked.model.close();
  asked.place.remove();
});

async function json<Value>(place: Place, ...words: readonly string[]): Promise<Value> {
  const run = await place.run(...words, '--json');
  expect([run.code, run.stderr]).toEqual([0, '']);
  return JSON.parse(run.stdout) as Value;
}

const sum = (parts: readonly { readonly tokens: number }[]) => parts.reduce((total, { tokens }) => total + tokens, 0);

describe('capstan context', () => {
  it('says what fills the window, in parts that sum to what the last event told', async () => {
    const { place, last } = asked;
    const view = await json<Window>(place, 'context');
    const usage = last.events.findLast(({ type }) => type === 'context.usage');
    expect([view.total, view.measure]).toEqual([usage?.['tokens'], usage?.['measure']]);
    expect([sum(view.parts), sum(view.families), sum(view.families.flatMap(({ shares }) => shares))]).toEqual(
      Array(3).fill(view.total),
    );
    for (const { tokens, shares } of view.families) expect(sum(shares)).toBe(tokens);
    expect(view.counted).toEqual({
      request: 4,
      usage: {
        input_tokens: 4700,
        cached_input_tokens: 0,
        cache_write_input_tokens: 0,
        output_tokens: 25,
        reasoning_output_tokens: 3,
        total_tokens: 4725,
      },
      dropped: 3,
    });
    const named = view.families.map(({ family, shares }) => [family, shares.map(({ name, turns }) => [name, turns])]);
    expect(named).toEqual([
      ['instructions', [['base instructions', []]]],
      [
        'tools',
        [
          ['exec_command', []],
          ['apply_patch', []],
          ['update_plan', []],
          ['write_stdin', []],
          ['view_image', []],
        ],
      ],
      ['user', [['messages', [1, 2, 3]]]],
      [
        'model',
        [
          ['messages', [1, 2, 3]],
          ['calls of exec_command', [1]],
          ['reasoning', [1]],
        ],
      ],
      ['tool', [['exec_command', [1]]]],
      [
        'context',
        [
          ['permissions', [1]],
          ['environment_context', [1]],
          ['user_instructions', [1, 3]],
        ],
      ],
    ]);
    const answerPart = view.parts.findLast(({ family }) => family === 'model');
    expect(answerPart).toMatchObject({ tokens: 22, measure: 'exact', turn: 3 });
    expect(view.unknown).toEqual([]);
  });

  it('says of each part whether the provider had it in its cache', async () => {
    const { place } = await scene([
      answer({ items: [say('One.')], usage: counts(4000, 0, 20) }),
      answer({ items: [say('Two.')], usage: counts(4100, 3900, 20) }),
    ]);
    await place.run('exec', 'one');
    await place.run('exec', 'resume', '--last', 'two');
    const { families } = await json<Window>(place, 'context');
    const cached = families.map(({ family, tokens, shares }) => {
      const known = shares.flatMap((share) => (share.cached === undefined ? [] : [share.cached]));
      return [family, known.reduce((total, each) => total + each, 0) === tokens];
    });
    expect(cached).toEqual([
      ['instructions', true],
      ['tools', true],
      ['user', false],
      ['model', false],
      ['context', true],
    ]);
  });

  it('gives every budget of the window with its use', async () => {
    const { place } = asked;
    const { budgets, total, families } = await json<Window>(place, 'context');
    const given = families.filter(({ family }) => ['instructions', 'tools', 'context'].includes(family));
    expect(budgets.map(({ name, unit, limit, used }) => [name, unit, limit, used])).toEqual([
      ['effective', 'tokens', 258_400, total],
      ['auto-compact', 'tokens', 232_560, total],
      ['reserve', 'tokens', 25_840, 0],
      ['skills', 'tokens', 5_168, 0],
      ['memory', 'tokens', 180_880, 0],
      ['baseline', 'tokens', 12_000, sum(given)],
      ['tool output', 'bytes', 40_000, expect.any(Number)],
    ]);
    expect(budgets.at(-1)!.used).toBeGreaterThan(250);
  });

  it('estimates what no provider has counted', async () => {
    const { place } = await scene([
      answer({ items: [callTool('exec_command', { cmd: 'true' })], usage: counts(4000, 0, 20) }),
      answer({ items: [say('Well.')], usage: 'none' }),
    ]);
    await place.run('exec', 'hi');
    const view = await json<Window>(place, 'context');
    expect(view).toMatchObject({ measure: 'estimated', counted: { request: 1 } });
    const since = view.parts.filter(({ name }) => name === 'messages' || name === 'exec_command').slice(-2);
    expect(since.map((part) => ({ ...part, tokens: part.tokens > 0 }))).toEqual([
      { family: 'tool', name: 'exec_command', tokens: true, measure: 'estimated', turn: 1 },
      { family: 'model', name: 'messages', tokens: true, measure: 'estimated', turn: 1 },
    ]);
    // Three of the answered tokens are reasoning that is not sent again.
    expect(view.total).toBe(4017 + sum(since));
  });

  it('says what each turn told the model of the world, and why', async () => {
    const { place } = asked;
    const { turns } = await json<{ turns: readonly JsonObject[] }>(place, 'context', '--changes');
    const told = turns.map(({ turn, form, told: list }) => [
      turn,
      form,
      (list as unknown as readonly JsonObject[]).map(({ cause, why, step, texts, sections }) => ({
        cause,
        why,
        step,
        texts: (texts as unknown as readonly JsonObject[]).map(({ content }) => content),
        sections,
      })),
    ]);
    expect(told).toEqual([
      [
        1,
        'bundle',
        [
          {
            cause: 'initial',
            why: undefined,
            step: 1,
            texts: ['permissions', 'user_instructions', 'environment_context'],
            sections: expect.any(Object),
          },
        ],
      ],
      [2, 'nothing', []],
      [
        3,
        'change',
        [
          {
            cause: 'change',
            why: undefined,
            step: 1,
            texts: ['user_instructions'],
            sections: { agents_md: ['text'] },
          },
        ],
      ],
    ]);
    const [first] = turns as unknown as [{ told: [{ sections: object; tokens: number }] }];
    expect(Object.keys(first.told[0].sections)).toEqual(
      expect.arrayContaining(['permissions', 'agents_md', 'environments']),
    );
    const { stdout } = await place.run('context', '--changes');
    expect(stdout).toMatch(/^ *1 {2}.*full bundle .*the thread began/m);
    expect(stdout).toMatch(/^ *2 .*nothing$/m);
    expect(stdout).toMatch(/^ *3 .*change .*AGENTS\.md +~ user_instructions$/m);
  });

  it('shows a request as the model got it; its body is the one that was sent', async () => {
    const { model, place } = asked;
    for (const [index, { decodedBytes }] of model.requests.entries()) {
      const { stdout } = await place.run('context', '--request', String(index + 1), '--json');
      expect(stdout).toBe(`${decodedBytes.toString('utf8')}\n`);
    }
    const { stdout } = await place.run('context', '--request', 'last');
    const lines = stdout.split('\n');
    expect(lines[0]).toMatch(/^request 4 · turn 3 · .* · step 1 · gpt-5\.5 high · encoder responses\/2$/);
    expect(stdout).toContain('cache broken by: setting');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(120);
    const margin = lines.map((line) => line.slice(0, 26).trimEnd()).filter((text) => text !== '');
    expect(margin.slice(3, 6)).toEqual(['instructions', expect.stringMatching(/^[\d,]+ tokens$/), 'tool']);
    expect(margin.filter((text) => /^(?:user|model|tool|context),/.test(text))).toEqual([
      'context, turn 1',
      'context, turn 1',
      'user, turn 1',
      'model, turn 1',
      'model, turn 1',
      'tool, turn 1',
      'model, turn 1',
      'user, turn 2',
      'model, turn 2',
      'context, turn 3',
      'user, turn 3',
    ]);
  });

  it('takes no lock: a thread can be looked at while its turn runs', async () => {
    const { place } = await scene([hang({ afterBytes: 0, of: answer({ items: [say('never')] }) })]);
    const running = place.start(['exec', '--json', '--context-events', 'wait']);
    await running.printed('"content":"plain"');
    const view = await json<Window>(place, 'context');
    expect(view.families.map(({ family }) => family)).toEqual(['instructions', 'tools', 'user', 'context']);
    running.child.kill('SIGTERM');
    expect((await running.finished).signal).toBe('SIGTERM');
  });

  it('finds a thread by id, beginning, name, or as the newest of the folder', async () => {
    const { place, id } = asked;
    writeFileSync(join(place.home, 'session_index.jsonl'), `${JSON.stringify({ id, thread_name: 'mine' })}\n`);
    for (const words of [[], [id], [id.slice(0, 13)], ['mine']]) {
      expect(await json(place, 'context', ...words)).toMatchObject({ thread: id });
      expect(await json(place, 'envelope', ...words)).toMatchObject({ thread: id });
    }
  });
});

describe('a thread of another program', () => {
  const stamp = '2026-11-15T00:00:00.000Z';
  const id = '01a1dcd3-0000-7000-8000-00000000abcd';
  const message = (role: string, text: string) => ({
    type: 'message',
    role,
    content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
  });
  const usage = (input: number, output: number) => ({
    input_tokens: input,
    cached_input_tokens: 0,
    output_tokens: output,
    reasoning_output_tokens: 0,
    total_tokens: input + output,
  });
  const count = (total: number, input: number, output: number) => ({
    type: 'token_count',
    info: { total_token_usage: usage(total, 0), last_token_usage: usage(input, output), model_context_window: 258_400 },
  });

  async function foreign(): Promise<Place> {
    const { place } = await scene([]);
    const lines: readonly Omit<Line, 'timestamp'>[] = [
      {
        type: 'session_meta',
        payload: { id, cwd: place.workspace, originator: 'codex_exec', base_instructions: { text: 'You are other.' } },
      },
      { type: 'event_msg', payload: { type: 'task_started', turn_id: 't1' } },
      {
        type: 'response_item',
        payload: message('user', '<environment_context>\n  <cwd>/x</cwd>\n</environment_context>'),
      },
      {
        type: 'turn_context',
        payload: { turn_id: 't1', cwd: place.workspace, model: 'gpt-5.5', approval_policy: 'never' },
      },
      { type: 'response_item', payload: message('user', 'hello') },
      {
        type: 'response_item',
        payload: { type: 'function_call', name: 'shell', arguments: '{"command":["ls"]}', call_id: 'c1' },
      },
      { type: 'event_msg', payload: count(3000, 3000, 20) },
      { type: 'response_item', payload: { type: 'function_call_output', call_id: 'c1', output: 'file' } },
      { type: 'event_msg', payload: count(3000, 3000, 20) },
      { type: 'response_item', payload: message('assistant', 'Hi.') },
      { type: 'event_msg', payload: count(6100, 3100, 10) },
      { type: 'event_msg', payload: { type: 'task_complete', turn_id: 't1' } },
    ];
    const folder = join(place.home, 'sessions/2026/11/15');
    mkdirSync(folder, { recursive: true });
    const text = lines.map((line, ordinal) => JSON.stringify({ timestamp: stamp, ordinal, ...line })).join('\n');
    writeFileSync(join(folder, `rollout-2026-11-15T00-00-00-${id}.jsonl`), `${text}\n`);
    return place;
  }

  it('is shown as far as its lines go, and what they lack is said', async () => {
    const place = await foreign();
    const view = await json<Window>(place, 'context');
    const told = view.next.tokens;
    // The context that it was told is not proven: the next turn would tell everything.
    expect(view.next.told).toEqual(['permissions', 'environment_context']);
    expect(view).toMatchObject({ total: 3110 + told, counted: { request: 2 } });
    expect(sum(view.parts)).toBe(3110 + told);
    expect(view.families.map(({ family, shares }) => [family, shares.map(({ name }) => name)])).toEqual([
      ['instructions', ['base instructions']],
      ['user', ['messages']],
      ['model', ['calls of shell', 'messages']],
      ['tool', ['shell']],
      ['context', ['permissions', 'environment_context']],
      ['unknown', ['tools and the like']],
    ]);
    expect(view.budgets[0]).toMatchObject({ name: 'effective', limit: 258_400, used: 3110 + told });
    expect(view.unknown).toEqual(['The tools of this thread are not in its file: another program offered them.']);
    // If the next turn cannot be foreseen, the file is the only source.
    rmSync(join(place.home, 'config.toml'));
    mkdirSync(join(place.home, 'config.toml'));
    const alone = await json<Window>(place, 'context');
    expect(alone).toMatchObject({ total: 3110 });
    expect(alone.budgets).toEqual([
      { name: 'effective', unit: 'tokens', limit: 258_400, used: 3110, meaning: 'everything' },
    ]);
    expect(alone.unknown.slice(0, 2)).toEqual([
      'The tools of this thread are not in its file: another program offered them.',
      'The budgets of the newest turn are not in the file: another program ran it.',
    ]);
    const { turns } = await json<{ turns: readonly JsonObject[] }>(place, 'context', '--changes');
    expect(turns).toMatchObject([
      { turn: 1, form: 'unknown', told: [{ texts: [{ content: 'environment_context' }] }] },
    ]);
  });

  it('has its requests put together from what stood before each answer', async () => {
    const place = await foreign();
    const body = await json<{
      known: { instructions: string; input: readonly JsonObject[] };
      unknown: readonly string[];
    }>(place, 'context', '--request', '2');
    expect(body.known.instructions).toBe('You are other.');
    expect(body.known.input.map(({ type }) => type)).toEqual([
      'message',
      'message',
      'function_call',
      'function_call_output',
    ]);
    expect(body.unknown).toEqual(['model settings', 'tools', 'labels']);
    const { stdout } = await place.run('context', '--request', '1');
    expect(stdout).toMatch(/made by another program/);
    expect((await place.run('context', '--request', '3')).stderr).toContain('The thread has 2 requests.');
  });

  it('has no envelope, and the turn_context is shown instead', async () => {
    const place = await foreign();
    const { stdout } = await place.run('envelope');
    expect(stdout).toMatch(/Turn 1 has no envelope in the file: another program ran it/);
    expect(stdout).toMatch(/^approval_policy +never$/m);
    const diff = await place.run('envelope', '--turn', '1', '--diff', '1');
    expect([diff.code, diff.stderr]).toEqual([1, expect.stringContaining('Turn 1 has no envelope in the file')]);
  });
});

describe('capstan envelope', () => {
  it('shows every group and the window, with who decided and who reads', async () => {
    const { place } = asked;
    const { fields } = await json<{ fields: readonly (JsonObject & { field: string })[] }>(place, 'envelope');
    const at = (name: string) => fields.find(({ field }) => field === name);
    expect([...new Set(fields.map(({ field }) => field.split('.')[0]))]).toEqual([
      'identity',
      'workspace',
      'instructions',
      'policy',
      'capabilities',
      'modes',
      'telemetry',
      'window',
    ]);
    expect(at('identity.effort')).toEqual({
      field: 'identity.effort',
      value: 'high',
      origin: 'flags',
      consumers: [
        'src/engine/thread/request/model-request.ts',
        'src/core/state/drafts/turn-lines.ts',
        'src/engine/thread/request/model-exchange.ts',
        'src/engine/thread/turn/open-turn.ts',
      ],
      roles: ['request builder', 'rollout', 'telemetry', 'model switch'],
    });
    expect(at('policy.approval')).toMatchObject({ value: 'never', origin: 'surface' });
    expect(at('workspace.timezone')).toMatchObject({ origin: 'facts' });
    expect(at('identity.model.contextWindow')).toMatchObject({ origin: 'model catalogue' });
    expect(at('workspace.environment')).toMatchObject({ origin: 'default', awaits: 'commands in another environment' });
    expect(at('instructions.base.text')).toMatchObject({
      value: { characters: expect.any(Number), digest: expect.any(String) },
    });
    const { stdout } = await place.run('envelope', '--turn', '1');
    expect(stdout).toMatch(/^thread \S+ · turn 1 of 3$/m);
    expect(stdout).toMatch(/^ {2}effort +medium +default of the model +request builder, rollout, telemetry,$/m);
    // In a pipe nothing is cut: a line is long where its value is.
    expect(stdout).not.toContain('…');
    expect(stdout).toContain(String(at('workspace.cwd')?.['value']));
  });

  it('says what changed between two turns', async () => {
    const { place } = asked;
    const { changes } = await json<{ changes: readonly JsonObject[] }>(place, 'envelope', '--turn', '3', '--diff', '1');
    expect(changes[0]).toEqual({ field: 'identity.effort', from: 'medium', to: 'high', origin: 'flags' });
    expect(changes.map(({ field }) => field)).toEqual([
      'identity.effort',
      'identity.chosen.effort',
      'telemetry.turnId',
      'telemetry.traceId',
      'telemetry.startedAt',
      'telemetry.origins',
    ]);
    const { stdout } = await place.run('envelope', '--turn', '3', '--diff', '3');
    expect(stdout).toContain('Nothing differs between turn 3 and turn 3.');
  });
});

describe('wrong words', () => {
  it.each(['context', 'envelope'])('%s ends with 2 for them', async (command) => {
    const { code, stdout, stderr } = await asked.place.run(command, '--nothing');
    expect([code, stdout, stderr]).toEqual([
      2,
      '',
      `capstan: ${command}: there is no option --nothing.\n         See \`capstan ${command} --help\`.\n`,
    ]);
  });

  it('a thread, turn or request that is not there is an error with a way on', async () => {
    const { place, id } = asked;
    const ask = async (...words: readonly string[]) => {
      const { code, stdout, stderr } = await place.run(...words);
      return [code, stdout, stderr];
    };
    const other = '01a1dcd3-0000-7000-8000-000000000000';
    expect(await ask('context', 'nobody')).toEqual([
      1,
      '',
      'capstan: No thread is named "nobody".\n         List threads with their ids and names: `capstan threads list`.\n',
    ]);
    expect(await ask('envelope', other)).toEqual([
      1,
      '',
      `capstan: There is no thread ${other}.\n         List threads with \`capstan threads list\`. If the thread is in another home, set CAPSTAN_HOME to that folder.\n`,
    ]);
    expect(await ask('envelope', id, '--turn', '4')).toEqual([
      1,
      '',
      'capstan: The thread has 3 turns.\n         Name one from 1 to 3.\n',
    ]);
    expect(await ask('context', id, '--request', '9')).toEqual([
      1,
      '',
      'capstan: The thread has 4 requests.\n         Name one from 1 to 4, or last.\n',
    ]);
  });

  it('a folder without threads says how to get one', async () => {
    const { place } = await scene([]);
    const run = await place.run('context');
    expect([run.code, run.stderr]).toEqual([
      1,
      `capstan: There is no thread in ${place.workspace} yet.\n         Name a thread, as \`capstan threads list\` shows them, or start one: \`capstan exec --help\` says how.\n`,
    ]);
  });

  it.each(['context', 'envelope'])('%s --help explains itself', async (command) => {
    const { place } = await scene([]);
    const run = await place.run(command, '--help');
    expect([run.code, run.stdout]).toEqual([0, expect.stringContaining(`capstan ${command} [THREAD]`)]);
  });
});
