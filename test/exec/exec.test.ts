import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, callTool, failed, httpError, reason, say } from '../../src/testing/index.ts';
import { inputOf, onlyWorkspace, scene, textsOf, threadId, withoutSandbox } from '../harness/scene.ts';
import { hasTerminals, onTerminal } from '../harness/terminal.ts';
import { noNamespaces } from '../harness/namespaces.ts';

describe('capstan exec', () => {
  it('answers a prompt with the events that scripts rely on', async () => {
    const { place } = await scene([answer({ items: [reason('Thinking.'), say('Hello.')] })]);
    const run = await place.run('exec', '--json', 'hi');
    expect(run.code).toBe(0);
    expect(run.events).toEqual([
      { type: 'thread.started', thread_id: expect.stringMatching(/^[0-9a-f-]{36}$/) },
      { type: 'turn.started' },
      { type: 'item.completed', item: { id: 'item_0', type: 'reasoning', text: 'Thinking.' } },
      { type: 'item.completed', item: { id: 'item_1', type: 'agent_message', text: 'Hello.' } },
      {
        type: 'turn.completed',
        usage: {
          input_tokens: 100,
          cached_input_tokens: 20,
          cache_write_input_tokens: 0,
          output_tokens: 10,
          reasoning_output_tokens: 3,
        },
      },
    ]);
    expect(run.stderr).toMatch(/^capstan \S+ · thread \S+ · gpt-5\.5 via scripted · workspace-write$/m);
  });

  it('prints the answer alone on standard output without --json', async () => {
    const { place } = await scene([
      answer({ items: [callTool('exec_command', { cmd: 'echo seen' }), say('Working on it.')] }),
      answer({ items: [say('All done.')] }),
    ]);
    const run = await place.run('exec', '-s', 'danger-full-access', 'hi');
    expect([run.code, run.stdout]).toEqual([0, 'All done.\n']);
    expect(run.stderr).toMatch(/\$ echo seen\nWorking on it\.\n {2}seen\n {2}\[exit 0\]\n/);
  });

  it('prints the answer once if both outputs are one pipe or one file', async () => {
    const { place } = await scene(() => answer({ items: [say('All done.')] }));
    const count = (text: string): number => text.split('All done.').length - 1;
    const run = (script: string) => place.start(['exec', 'hi'], { prefix: ['sh', '-c', script, 'sh'] }).finished;
    const piped = await run('"$@" 2>&1 | cat');
    await run('"$@" > out 2>&1');
    const apart = await run('"$@" 2> error');
    const read = (name: string): number => count(readFileSync(join(place.workspace, name), 'utf8'));
    expect([count(piped.stdout), read('out'), apart.stdout, read('error')]).toEqual([1, 1, 'All done.\n', 1]);
  });

  it.runIf(hasTerminals)('shows the answer once on a terminal', async () => {
    const { place } = await scene([answer({ items: [say('All done.')] })]);
    const run = await place.start(['exec', 'go'], {
      prefix: onTerminal,
    }).finished;
    expect([run.code, run.stdout.match(/All done\./g)]).toEqual([0, ['All done.']]);
  });

  it('tells the model once where it is and what it may do, then what the user said', async () => {
    const { model, place } = await scene([answer({ items: [say('ok')] })]);
    writeFileSync(join(place.workspace, 'AGENTS.md'), 'Use tabs.');
    await place.run('exec', '--json', 'hi');
    const body = model.requests[0]!.body;
    expect(Object.keys(body)).toEqual([
      'model',
      'parallel_tool_calls',
      'reasoning',
      'prompt_cache_key',
      'instructions',
      'tools',
      'input',
      'stream',
      'store',
      'include',
      'tool_choice',
      'text',
      'client_metadata',
    ]);
    const sent = inputOf(model, 0);
    expect(sent.map(({ role, content }) => [role, (content as unknown as JsonObject[]).length])).toEqual([
      ['developer', 1],
      ['user', 2],
      ['user', 1],
    ]);
    const [permissions, instructions, environment, words] = textsOf(sent) as string[];
    expect(permissions).toContain('Sandbox: workspace-write.');
    expect(permissions).toContain(JSON.stringify(place.workspace));
    expect(instructions).toBe(
      `# AGENTS.md instructions for ${place.workspace}\n\n<INSTRUCTIONS>\nUse tabs.\n</INSTRUCTIONS>`,
    );
    expect(environment).toContain(`<cwd>${place.workspace}</cwd>`);
    expect(words).toBe('hi');
  });

  it.skipIf(noNamespaces)('runs a command in the sandbox and sends its output back', async () => {
    const script = [
      answer({
        items: [callTool('exec_command', { cmd: 'echo out; echo err >&2; touch inside; touch /etc/outside; exit 3' })],
      }),
      answer({ items: [say('done')] }),
    ];
    const { model, place } = await scene(script);
    const run = await place.run('exec', '--json', 'go');
    const items = run.events
      .filter(({ type }) => String(type).startsWith('item.'))
      .map(({ type, item }) => [type, item]);
    expect(items.slice(0, 2)).toEqual([
      [
        'item.started',
        expect.objectContaining({
          id: 'item_0',
          type: 'command_execution',
          aggregated_output: '',
          exit_code: null,
          status: 'in_progress',
        }),
      ],
      [
        'item.completed',
        expect.objectContaining({
          id: 'item_0',
          exit_code: 3,
          status: 'failed',
          aggregated_output: expect.stringMatching(/^out\nerr\n.*Read-only file system/s),
        }),
      ],
    ]);
    expect(statSync(join(place.workspace, 'inside')).isFile()).toBe(true);
    expect(textsOf(inputOf(model, 1)).at(-1)).toMatch(
      /^Wall time: [\d.]+ seconds\nProcess exited with code 3\nOriginal token count: \d+\nOutput:\nout\nerr\n/,
    );
  });

  it.skipIf(noNamespaces)('refuses to write when the sandbox is read-only', async () => {
    const { place } = await scene([
      answer({ items: [callTool('exec_command', { cmd: 'touch here' })] }),
      answer({ items: [say('no')] }),
    ]);
    const run = await place.run('exec', '--json', '-s', 'read-only', 'go');
    expect(run.stdout).toContain('Read-only file system');
  });

  it('keeps secrets of the environment away from commands', async () => {
    const { place } = await scene([
      answer({ items: [callTool('exec_command', { cmd: 'echo "[$MY_API_KEY][$PLAIN]"' })] }),
      answer({ items: [say('ok')] }),
    ]);
    const run = await place.start(['exec', '--json', '-s', 'danger-full-access', 'go'], {
      env: { MY_API_KEY: 'hunter2', PLAIN: 'plain' },
    }).finished;
    expect(run.stdout).toContain('[][plain]');
    expect(run.stdout + run.stderr + JSON.stringify(place.lines())).not.toContain('hunter2');
  });

  it('keeps what is set for commands out of the thread file and the events', async () => {
    const { model, place } = await scene([answer({ items: [say('ok')] })]);
    const set = 'shell_environment_policy.set={ MY_TOKEN = "hunter2" }';
    const run = await place.run('exec', '--json', '--context-events', '-c', set, 'go');
    expect(run.code).toBe(0);
    expect(run.stdout + run.stderr + JSON.stringify(place.lines())).not.toContain('hunter2');
    expect(JSON.stringify(place.lines())).toContain('MY_TOKEN');
    expect(model.requests[0]!.bytes.toString('utf8')).not.toContain('hunter2');
  });

  it('answers calls that make no sense and continues', async () => {
    const script = [
      answer({
        items: [
          callTool('no_such_tool', {}),
          callTool('exec_command', '{"cmd":'),
          callTool('exec_command', { cmd: 'true', sandbox_permissions: 'require_escalated' }),
        ],
      }),
      answer({ items: [say('ok')] }),
    ];
    const { model, place } = await scene(script);
    const run = await place.run('exec', '--json', 'go');
    expect(run.code).toBe(0);
    expect(textsOf(inputOf(model, 1)).slice(-3)).toEqual([
      'There is no tool named "no_such_tool". Tools: exec_command, write_stdin, update_plan, apply_patch, view_image.',
      'The arguments were not accepted and nothing was done: they are not a JSON object.',
      expect.stringContaining('Not run: the approval policy is never'),
    ]);
  });

  it('asks again when a stream breaks, and says so', async () => {
    const { model, place } = await scene([
      failed({ code: 'server_error', message: 'oops' }),
      answer({ items: [say('there')] }),
    ]);
    const run = await place.run('exec', '--json', 'hi');
    expect([run.code, model.requests.length]).toEqual([0, 2]);
    expect(run.stdout).toContain('Trying again (1 of 5)');
  });

  it('asks again when a server refuses, which only a person reads', async () => {
    const down = httpError({ status: 503, body: 'Down.' });
    const { model, place } = await scene([
      down,
      answer({ items: [say('there')] }),
      down,
      answer({ items: [say('so')] }),
    ]);
    const forPrograms = await place.run('exec', '--json', 'hi');
    expect([forPrograms.code, model.requests.length]).toEqual([0, 2]);
    expect(forPrograms.stdout).not.toMatch(/"type":"error"|Trying again/);
    const forPeople = await place.run('exec', 'hi');
    expect([forPeople.code, model.requests.length]).toEqual([0, 4]);
    expect(forPeople.stderr).toContain('Trying again (1 of 29)');
  });

  it('shows the last retry to a person, whose number is that of all', async () => {
    const { model, place } = await scene(Array.from({ length: 4 }, () => httpError({ status: 503, body: 'Down.' })));
    const once = ['request_max_retries', 'stream_max_retries'].flatMap((key) => [
      '-c',
      `model_providers.scripted.${key}=1`,
    ]);
    const run = await place.run('exec', ...once, 'hi');
    expect([run.code, model.requests.length]).toEqual([1, 4]);
    expect(run.stderr.match(/Trying again \(\d of \d\)/g)).toEqual(
      [1, 2, 3].map((attempt) => `Trying again (${attempt} of 3)`),
    );
  });

  it('keeps rollouts to the user who made them', async () => {
    const { place } = await scene([answer({ items: [say('ok')] })]);
    await place.run('exec', '--json', 'hi');
    const [path] = place.rollouts();
    expect(statSync(path!).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(path!)).mode & 0o777).toBe(0o700);
    expect(readFileSync(path!, 'utf8').endsWith('\n')).toBe(true);
  });
});

describe('capstan exec resume', () => {
  it('continues with the same history, model, effort and policy', async () => {
    const { model, place } = await scene([answer({ items: [say('one')] }), answer({ items: [say('two')] })]);
    const first = await place.run(
      'exec',
      '--json',
      '-m',
      'gpt-5.4',
      '-s',
      'read-only',
      '-c',
      'model_reasoning_effort=high',
      'hi',
    );
    const second = await place.run('exec', '--json', 'resume', threadId(first), 'again');
    expect(second.events[0]).toEqual(first.events[0]);
    expect(model.requests[1]!.body).toMatchObject({ model: 'gpt-5.4', reasoning: { effort: 'high' } });
    expect(inputOf(model, 1).slice(0, inputOf(model, 0).length)).toEqual(inputOf(model, 0));
    expect(textsOf(inputOf(model, 1)).slice(-2)).toEqual(['one', 'again']);
    expect(second.stderr).toMatch(/ · gpt-5\.4 high via scripted · read-only$/m);
    expect(second.events.at(-1)).toMatchObject({ usage: { input_tokens: 200 } });
  });

  it('takes what a flag or -c names, and tells the model only what changed', async () => {
    const { model, place } = await scene([answer({ items: [say('one')] }), answer({ items: [say('two')] })]);
    const first = await place.run('exec', '--json', 'hi');
    const elsewhere = join(place.root, 'else <where>');
    mkdirSync(elsewhere);
    const second = await place.run(
      'exec',
      '--json',
      '-s',
      'read-only',
      '-C',
      elsewhere,
      '-c',
      'model="gpt-5.4"',
      'resume',
      threadId(first),
      'again',
    );
    expect(second.stderr).toMatch(/ · gpt-5\.4 via scripted · read-only$/m);
    const news = textsOf(inputOf(model, 1).slice(inputOf(model, 0).length + 1)) as string[];
    expect(news).toEqual([
      expect.stringContaining('The model is now "gpt-5.4".'),
      expect.stringContaining('Sandbox: read-only.'),
      `<environment_context>\n  <cwd>${place.root}/else &lt;where&gt;</cwd>\n  <sandbox_mode>read-only</sandbox_mode>\n  <writable_roots />\n</environment_context>`,
      'again',
    ]);
  });

  it('after a kill in the middle of a command shows the model that the outcome is unknown', async () => {
    const script = [
      answer({ items: [callTool('exec_command', { cmd: 'touch began; sleep 60' }, 'call_x')] }),
      answer({ items: [say('I see.')] }),
    ];
    const { model, place } = await scene(script, onlyWorkspace);
    const victim = place.start(['exec', '--json', 'go']);
    await victim.printed('item.started');
    victim.child.kill('SIGKILL');
    const dead = await victim.finished;
    const run = await place.run('exec', '--json', 'resume', threadId(dead), 'what happened?');
    expect(run.code).toBe(0);
    expect(model.requests).toHaveLength(2);
    const tail = inputOf(model, 1).slice(inputOf(model, 0).length);
    expect(tail.map(({ type }) => type)).toEqual(['function_call', 'function_call_output', 'message', 'message']);
    expect(tail[1]).toMatchObject({ call_id: 'call_x', output: expect.stringMatching(/^Outcome unknown/) });
    expect(textsOf(tail).at(-2)).toMatch(
      /^<turn_aborted>[\s\S]*The program that ran the turn ended\. What was under way may have/,
    );
  });
});

describe('interruption', () => {
  const message = 'The turn was interrupted.';
  it.each([
    ['SIGINT', '--json', { type: 'turn.failed', error: { message } }, [null, 'SIGINT']],
    ['SIGTERM', '--json', { type: 'turn.failed', error: { message } }, [null, 'SIGTERM']],
    ['SIGINT', '--experimental-json', { type: 'turn.failed', error: { message } }, [null, 'SIGINT']],
    // The SDK sends it, and says itself that it has ended the turn.
    ['SIGTERM', '--experimental-json', { type: 'error', message }, [1, null]],
  ] as const)('%s ends the turn, its command and the process, and leaves a thread to resume: %s', async (...row) => {
    const [signal, option, last, end] = row;
    const script = [
      answer({ items: [callTool('exec_command', { cmd: 'sleep 61.25' })] }),
      answer({ items: [say('ok')] }),
    ];
    const { model, place } = await scene(script, withoutSandbox);
    const running = place.start(['exec', option, 'go']);
    await running.printed('item.started');
    running.child.kill(signal);
    const run = await running.finished;
    expect([run.code, run.signal]).toEqual(end);
    expect(run.events.at(-1)).toEqual(last);
    expect(place.lines().at(-1)).toMatchObject({
      type: 'event_msg',
      payload: { type: 'turn_aborted', reason: 'interrupted' },
    });
    const next = await place.run('exec', '--json', 'resume', threadId(run), 'go on');
    expect(next.code).toBe(0);
    const told = textsOf(inputOf(model, 1)) as string[];
    expect(told.at(-3)).toContain('aborted by user');
    expect(told.at(-2)).toMatch(/^<turn_aborted>[\s\S]*A call that was running has been ended/);
  });

  it('shows a command that it stopped as interrupted and not as failed', async () => {
    const { place } = await scene([
      answer({ items: [callTool('exec_command', { cmd: 'touch running; sleep 61.375' })] }),
    ]);
    const running = place.start(['exec', '-s', 'danger-full-access', 'go']);
    await vi.waitUntil(() => existsSync(join(place.workspace, 'running')), { timeout: 20_000 });
    running.child.kill('SIGINT');
    const { signal, stderr } = await running.finished;
    expect([signal, stderr]).toEqual([
      'SIGINT',
      expect.stringMatching(/ {2}\[interrupted(?: after \d+ s)?\]\nThe turn was interrupted\.\n/),
    ]);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('is no success when no process reads what is printed: %s', async (signal) => {
    const { place } = await scene([
      answer({ items: [callTool('exec_command', { cmd: 'head -c 900000 /dev/zero | tr "\\0" x' })] }),
      answer({ items: [callTool('exec_command', { cmd: 'touch running; sleep 61.5' })] }),
    ]);
    const pipe = join(place.root, 'pipe');
    execFileSync('mkfifo', [pipe]);
    // Open at both ends, so that it fills up and never breaks.
    const running = place.start(['exec', '--json', '-s', 'danger-full-access', 'go'], {
      prefix: ['bash', '-c', 'exec "$@" 1<>"$0"', pipe],
    });
    await vi.waitUntil(() => existsSync(join(place.workspace, 'running')), { timeout: 20_000 });
    running.child.kill(signal);
    expect((await running.finished).signal).toBe(signal);
  });

  it('does not wait for a program that prints the key', async () => {
    const { place } = await scene([answer({ items: [say('ok')] })]);
    const started = join(place.root, 'started');
    const auth = `{ command = "/bin/sh", args = ["-c", ": > '${started}'; sleep 61.75"], timeout_ms = 60000 }`;
    const running = place.start(['exec', '--json', '-c', `model_providers.scripted.auth=${auth}`, 'go']);
    await vi.waitUntil(() => existsSync(started), { timeout: 20_000 });
    running.child.kill('SIGINT');
    const { signal, events } = await running.finished;
    expect([signal, events.at(-1)]).toEqual(['SIGINT', { type: 'turn.failed', error: { message } }]);
  }, 30_000);
});
