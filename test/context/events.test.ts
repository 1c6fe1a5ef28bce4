import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { words } from '../../src/index.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { ThreadEvent } from '../../src/protocol/thread-event.ts';
import { version } from '../../src/protocol/version.ts';
import { answer, callTool, httpError, say, type ScriptStepOf } from '../../src/testing/index.ts';
import { placeEngine } from '../harness/place-engine.ts';
import type { Finished, Place, Running } from '../harness/run-capstan.ts';
import { inputOf, scene, textsOf } from '../harness/scene.ts';

const twoSteps = [answer({ items: [callTool('exec_command', { cmd: 'true' })] }), answer({ items: [say('Done.')] })];
const high = ['-c', 'model_reasoning_effort="high"'];
const isContextEvent = ({ type }: JsonObject): boolean => /^(?:context|thread\.settings)/.test(String(type));

function added({ events }: Finished): readonly JsonObject[] {
  return events.filter(({ type }) => type === 'context.added');
}

describe('--context-events', () => {
  it('begins with the settings and the environment that hold', async () => {
    const { place } = await scene([answer({ items: [say('ok')] })]);
    const { events } = await place.run('exec', '--json', '--context-events', 'hi');
    expect(events.slice(0, 3)).toEqual([
      { type: 'thread.started', thread_id: expect.any(String) },
      {
        type: 'thread.settings',
        cause: 'started',
        settings: {
          model: 'gpt-5.5',
          model_provider_id: 'scripted',
          approval_policy: 'never',
          approvals_reviewer: 'user',
          permission_profile: expect.objectContaining({ type: 'managed', network: 'restricted' }),
          cwd: place.workspace,
          reasoning_effort: 'medium',
          collaboration_mode: expect.objectContaining({ mode: 'default' }),
          capstan: expect.objectContaining({ provider: 'scripted' }),
        },
        environment: {
          cwd: place.workspace,
          shell: expect.any(String),
          date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
          timezone: expect.any(String),
          approvalPolicy: 'never',
          sandboxMode: 'workspace-write',
          networkAccess: 'restricted',
          writableRoots: expect.arrayContaining([place.workspace]),
          workspaceRoots: [],
          deniedPaths: [],
          reopenedPaths: [],
          allowedDomains: [],
          deniedDomains: [],
        },
      },
      { type: 'turn.started' },
    ]);
  });

  it('tells every text that enters history with its kind, cause and typed value', async () => {
    const { model, place } = await scene([answer({ items: [say('ok')] })]);
    writeFileSync(join(place.workspace, 'AGENTS.md'), 'Use tabs.');
    const run = await place.run('exec', '--json', '--context-events', 'hi');
    const environment = (run.events[1] as { environment: JsonObject }).environment;
    const base = { type: 'context.added', turn_id: expect.any(String), item_id: expect.stringMatching(/^msg_/) };
    expect(added(run)).toEqual([
      { ...base, content: 'permissions', cause: 'initial', value: expect.any(Object), text: expect.any(String) },
      {
        ...base,
        content: 'user_instructions',
        cause: 'initial',
        value: { directory: place.workspace, text: 'Use tabs.' },
        text: expect.stringContaining('Use tabs.'),
      },
      { ...base, content: 'environment_context', cause: 'initial', value: environment, text: expect.any(String) },
      { ...base, content: 'plain', cause: 'user', text: 'hi' },
    ]);
    // The events hold the texts that the model got, with the same ids.
    expect(added(run).map(({ text }) => text)).toEqual(textsOf(inputOf(model, 0)));
    expect(new Set(added(run).map((event) => event['item_id']))).toEqual(
      new Set(inputOf(model, 0).map(({ id }) => id)),
    );
  });

  it('tells a change as a change, and what a checkpoint took away as told again', async () => {
    const { place } = await scene(() => answer({ items: [say('ok')] }));
    const go = (text: string) =>
      place.run('exec', '--json', '--context-events', 'resume', '--last', text).then((run) => ({
        settings: run.events.find(({ type }) => type === 'thread.settings')?.['cause'],
        told: added(run).map(({ content, cause, why }) => [content, cause, why]),
      }));
    await place.run('exec', 'one');
    expect(await go('two')).toEqual({ settings: 'resumed', told: [['plain', 'user', undefined]] });
    writeFileSync(join(place.workspace, 'AGENTS.md'), 'Use tabs.');
    expect(await go('three')).toEqual({
      settings: 'resumed',
      told: [
        ['user_instructions', 'change', undefined],
        ['plain', 'user', undefined],
      ],
    });
    checkpoint(place);
    expect(await go('four')).toEqual({
      settings: 'resumed',
      told: [
        ['permissions', 'reinjection', 'checkpoint'],
        ['user_instructions', 'reinjection', 'checkpoint'],
        ['environment_context', 'reinjection', 'checkpoint'],
        ['plain', 'user', undefined],
      ],
    });
    const { stdout } = await place.run('context', '--changes');
    expect(stdout).toMatch(/^ *4 .*full bundle .*sent again: checkpoint/m);
  });

  it('tells what happened once as an event', async () => {
    const { place } = await scene(() => answer({ items: [say('ok')] }));
    await place.run('exec', 'one');
    const running = place.lines().findLast(({ payload }) => payload['type'] === 'task_complete')!;
    const file = place.rollouts()[0]!;
    const text = readFileSync(file, 'utf8');
    // The process died before the end of its turn.
    writeFileSync(file, text.slice(0, text.indexOf(JSON.stringify(running))));
    const run = await place.run('exec', '--json', '--context-events', 'resume', '--last', 'two');
    expect(added(run)[0]).toMatchObject({ content: 'turn_aborted', cause: 'event', value: 'process-died-idle' });
  });

  it('tells usage after every step', async () => {
    const { place } = await scene([
      answer({ items: [callTool('exec_command', { cmd: 'true' })] }),
      answer({ items: [say('Done.')], usage: 'none' }),
    ]);
    const { events } = await place.run('exec', '--json', '--context-events', 'hi');
    const last = {
      input_tokens: 100,
      cached_input_tokens: 20,
      cache_write_input_tokens: 0,
      output_tokens: 10,
      reasoning_output_tokens: 3,
      total_tokens: 110,
    };
    const usage = events.filter(({ type }) => type === 'context.usage');
    expect(usage).toEqual([
      {
        type: 'context.usage',
        turn_id: expect.any(String),
        step: 0,
        last,
        total: last,
        // Three tokens of reasoning are not sent again.
        tokens: 107,
        measure: 'exact',
        effective_window: 258_400,
        percent_remaining: 100,
      },
      {
        type: 'context.usage',
        turn_id: expect.any(String),
        step: 1,
        total: { ...last, estimated_tokens: expect.any(Number) },
        // No provider counted the answer: the older count is not taken for it.
        tokens: expect.any(Number),
        measure: 'estimated',
        effective_window: 258_400,
        percent_remaining: 100,
      },
    ]);
  });

  it('is told before the request that it precedes is answered', async () => {
    const child = Promise.withResolvers<Running>();
    const seen: number[] = [];
    // The model does not answer before everything in the request has been printed: a late event would never come.
    const script: ScriptStepOf = async ({ body }) => {
      const input = body['input'] as unknown as readonly JsonObject[];
      for (const { role, id } of input)
        if (role !== undefined && role !== 'assistant') await (await child.promise).printed(String(id));
      seen.push(input.length);
      return seen.length === 1 ? twoSteps[0]! : twoSteps[1]!;
    };
    const { place } = await scene(script);
    const running = place.start(['exec', '--json', '--context-events', 'hi']);
    child.resolve(running);
    expect((await running.finished).code).toBe(0);
    expect(seen).toEqual([3, 5]);
  });

  it('reaches a listener before the server has the request', async () => {
    const order: string[] = [];
    const script: ScriptStepOf = ({ body }) => {
      const texts = textsOf(body['input'] as unknown as readonly JsonObject[]);
      order.push(`request with ${texts.length} texts`);
      if (order.filter((entry) => entry.startsWith('request')).length > 1) return twoSteps[1]!;
      writeFileSync(join(live.place.workspace, 'AGENTS.md'), 'Use tabs.');
      return twoSteps[0]!;
    };
    const live = await scene(script);
    await runInProcess(live.place, (event) => {
      if (event.kind === 'context') order.push(event.content);
      if (event.kind === 'usage') order.push('usage');
    });
    expect(order).toEqual([
      'permissions',
      'environment_context',
      'plain',
      'request with 3 texts',
      'usage',
      'user_instructions',
      // The call has no text, its answer has one.
      'request with 6 texts',
      'usage',
    ]);
  });

  it('adds to what is printed without it, and changes nothing', async () => {
    const shape = ({ events }: Finished) =>
      events.map((event) => JSON.stringify(event).replaceAll(/[0-9a-f-]{36}/g, 'id'));
    const plain = await scene(twoSteps).then(({ place }) => place.run('exec', '--json', 'hi'));
    const more = await scene(twoSteps).then(({ place }) => place.run('exec', '--json', '--context-events', 'hi'));
    expect(plain.events.filter(isContextEvent)).toEqual([]);
    expect(plain.events.map(({ type }) => type)).toEqual([
      'thread.started',
      'turn.started',
      'item.started',
      'item.completed',
      'item.completed',
      'turn.completed',
    ]);
    const others = { ...more, events: more.events.filter((event) => !isContextEvent(event)) };
    expect(shape(others), `${plain.stdout}\n${more.stdout}`).toEqual(shape(plain));
    expect(more.events.filter(isContextEvent).length).toBeGreaterThan(5);
  });
});

describe('--verbose', () => {
  it('says for people what the model is told, what is left, and what broke the cache', async () => {
    const { place } = await scene(() => answer({ items: [say('ok')] }));
    const first = await place.run('exec', '--verbose', 'one');
    expect(first.stdout).toBe('ok\n');
    expect(first.stderr).toMatch(/^context: permissions \(initial, [\d,]+ characters\)$/m);
    expect(first.stderr).toMatch(/^window: 107 of 258,400 tokens, 100 % left$/m);
    expect(first.stderr).not.toContain('cache:');
    checkpoint(place);
    const second = await place.run('exec', '-v', ...high, '-m', 'gpt-5.4', 'resume', '--last', 'two');
    expect(second.stderr).toMatch(/^model: gpt-5\.5 -> gpt-5\.4; with it: .*identity\.effort/m);
    expect(second.stderr).toMatch(/^context: permissions \(reinjection after checkpoint, [\d,]+ characters\)$/m);
    expect(second.stderr).toMatch(/^cache: broken by a checkpoint; about [1-9][\d,]* tokens are read again$/m);
    const third = await place.run('exec', '-v', '-c', 'model_reasoning_effort="low"', 'resume', '--last', 'three');
    expect(third.stderr).toMatch(/^cache: broken by the setting effort; about [\d,]+ tokens are read again$/m);
  });

  it('goes beside the events, which stay as they are', async () => {
    const { place } = await scene(twoSteps);
    const run = await place.run('exec', '--json', '-v', 'hi');
    expect(run.stderr).toContain('context: permissions');
    expect(run.events.filter(isContextEvent)).toEqual([]);
  });
});

describe('traces', () => {
  const preload = { NODE_OPTIONS: `--import ${pathToFileURL(join(import.meta.dirname, 'events-preload.mjs')).href}` };

  it('are one span per step, with its labels, tokens and times', async () => {
    const { place } = await scene([twoSteps[0]!, httpError({ status: 400, body: 'no' })]);
    const file = join(place.root, 'spans.jsonl');
    const env = { ...preload, CAPSTAN_TEST_TRACES: file };
    const run = await place.start(['exec', '--json', '--context-events', 'hi'], { env }).finished;
    const threadId = run.events[0]!['thread_id'];
    const turnId = String(added(run)[0]!['turn_id']);
    const spans = readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as JsonObject);
    const parent = {
      traceId: turnId.replaceAll('-', ''),
      spanId: turnId.replaceAll('-', '').slice(-16),
      traceFlags: 1,
      isRemote: true,
    };
    const labels = (step: number) => ({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'scripted',
      'gen_ai.request.model': 'gpt-5.5',
      'gen_ai.conversation.id': threadId,
      'capstan.wire_format': 'responses',
      'capstan.turn.id': turnId,
      'capstan.step': step,
      'capstan.attempt': 1,
      'capstan.effort': 'medium',
    });
    const times = { 'capstan.answer_ms': expect.any(Number), 'capstan.total_ms': expect.any(Number) };
    const span = { tracer: ['capstan', version], name: 'chat gpt-5.5', kind: 2, parent };
    expect(spans).toEqual([
      {
        ...span,
        attributes: {
          ...labels(0),
          ...times,
          'capstan.outcome': 'go-on',
          'capstan.calls': 1,
          'capstan.first_event_ms': expect.any(Number),
          'gen_ai.usage.input_tokens': 100,
          'gen_ai.usage.output_tokens': 10,
          'capstan.usage.cached_input_tokens': 20,
          'capstan.usage.reasoning_output_tokens': 3,
        },
      },
      {
        ...span,
        attributes: {
          ...labels(1),
          ...times,
          'capstan.outcome': 'failed',
          'capstan.calls': 0,
          'capstan.first_event_ms': expect.any(Number),
        },
        status: { code: 2, message: 'invalid-request' },
      },
    ]);
    expect(run.stderr).toMatch(/asked for .*open-?telemetry/);
    // The thread's own record of each step says the same.
    const steps = place.lines().filter(({ type }) => type === 'capstan_step');
    expect(steps.map(({ payload }) => [payload['turn_id'], payload['step'], payload['trace_id']])).toEqual([
      [turnId, 0, parent.traceId],
      [turnId, 1, parent.traceId],
    ]);
  });

  it('cost nothing without a receiver: nothing of the API is loaded', async () => {
    const { place } = await scene(twoSteps);
    const run = await place.start(['exec', '--json', 'hi'], { env: preload }).finished;
    expect(run.code).toBe(0);
    expect(run.stderr).not.toContain('asked for');
  });
});

/** A line of another program that replaces the history. */
function checkpoint(place: Place): void {
  const ordinal = place.lines().length;
  const history = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'What was said.' }] }];
  const payload = { message: '', replacement_history: history };
  const line = { timestamp: '2026-11-15T00:00:00.000Z', ordinal, type: 'compacted', payload };
  appendFileSync(place.rollouts()[0]!, `${JSON.stringify(line)}\n`);
}

async function runInProcess(place: Place, listener: (event: ThreadEvent) => void): Promise<void> {
  const engine = await placeEngine(place);
  const opened = await engine.start({ listener, cwd: place.workspace, approvals: 'never' });
  if (opened.kind === 'refused') throw new Error(opened.outcome.message);
  const { kind } = await opened.thread.run({ input: words('hi'), signal: new AbortController().signal });
  await opened.thread.close();
  expect(kind).toBe('completed');
}
