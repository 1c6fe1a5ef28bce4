import { describe, expect, it } from 'vitest';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { words } from '../../src/protocol/user-input.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { inputOf, textsOf, withoutSandbox } from '../harness/scene.ts';
import { toldScene } from '../harness/told-scene.ts';

const gates = '[features]\nsleep_tool = true\ntoken_budget = true\n';
const done = answer({ items: [say('Done.')] });
const signal = new AbortController().signal;

describe('time and context', () => {
  it('are tools behind gates', async () => {
    const plain = await toldScene({});
    expect(await plain.calls(callTool('sleep', { duration_ms: 1 }))).toEqual([
      expect.stringContaining('There is no tool named "sleep"'),
    ]);
    const scene = await toldScene({ config: gates });
    const [time, slept, odd, left] = await scene.calls(
      callTool('current_time', {}),
      callTool('sleep', { duration_ms: 5 }),
      callTool('sleep', { duration_ms: 0 }),
      callTool('get_context_remaining', {}),
    );
    expect(time).toMatch(/^It is \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\.$/);
    expect(slept).toMatch(/^Wall time: \d+\.\d seconds\nSleep completed\.$/);
    expect(odd).toContain('must be an integer from 1 to 43200000');
    expect(left).toMatch(/^You have \d{5,} tokens left in this context window\.$/);
  });

  it('a message of the user ends a sleep', async () => {
    const sleeps = answer({ items: [callTool('sleep', { duration_ms: 600_000 })] });
    const live = await LiveThread.in([sleeps, done], gates);
    await live.open();
    const steered = new Promise<void>((resolve) => {
      live.onEvent = ({ kind }) => {
        if (kind === 'item-started') void live.thread.steer({ input: words('Wake up') }).then(() => resolve());
      };
    });
    expect(await live.turn('go')).toMatchObject({ kind: 'completed' });
    await steered;
    const texts = textsOf(inputOf(live.model, 1)).map(String);
    expect(texts.find((text) => text.startsWith('Wall time'))).toContain('Sleep interrupted by new input.');
    expect(texts.at(-1)).toBe('Wake up');
  });

  it('a new context is a checkpoint before the next request of the turn', async () => {
    const steps = [
      answer({ items: [callTool('exec_command', { cmd: 'seq 1 9000' })] }),
      answer({ items: [callTool('new_context', {})] }),
      answer({ items: [say('All that matters.')] }),
    ];
    const live = await LiveThread.in((request) => steps[request.index] ?? done, `${withoutSandbox}${gates}`);
    expect(await live.turn('go')).toMatchObject({ kind: 'completed' });
    expect(live.told('checkpoint-installed')).toHaveLength(1);
    expect(live.told('checkpoint-installed')[0]?.report).toMatchObject({ trigger: 'manual' });
    expect(textsOf(inputOf(live.model, live.model.requests.length - 1)).join('\n')).toContain('go');
  });
});

describe('a command of the user', () => {
  it('runs outside the sandbox, and the model reads it with the next request', async () => {
    const live = await LiveThread.in([done]);
    const thread = await live.open();
    const ran = await thread.shell({ command: 'echo "<b>" && pwd && touch made && exit 3', signal });
    expect(ran).toMatchObject({ kind: 'ran', exitCode: 3, output: `<b>\n${live.place.workspace}\n` });
    await live.turn('What did I run?');
    const told = textsOf(inputOf(live.model, 0))
      .map(String)
      .find((text) => text.startsWith('<user_shell_command>'));
    expect(told).toContain('<command>\necho "<b>" && pwd');
    expect(told).toContain('Exit code: 3');
    // It survives a restart, once.
    await live.open();
    live.model.push(done);
    await live.turn('again');
    const all = textsOf(inputOf(live.model, 1)).map(String);
    expect(all.filter((text) => text.startsWith('<user_shell_command>'))).toHaveLength(1);
  });

  it('is stopped by its signal, cut to its cap, and refused if there is none', async () => {
    const live = await LiveThread.in([done]);
    const thread = await live.open();
    const stop = new AbortController();
    const ran = thread.shell({ command: 'echo begun; sleep 60', signal: stop.signal, output: () => stop.abort() });
    const ended = await ran;
    expect(ended).toMatchObject({ kind: 'ran', output: 'begun\n' });
    expect(ended).not.toHaveProperty('exitCode');
    expect(await thread.shell({ command: ' ', signal })).toMatchObject({ outcome: { code: 'no-command' } });
    await thread.shell({ command: 'yes 1234567890 | head -c 2000000', signal });
    await live.turn('go');
    const told = textsOf(inputOf(live.model, 0))
      .map(String)
      .filter((text) => text.startsWith('<user_shell_command>'));
    expect(told).toHaveLength(2);
    expect(told[1]!.length).toBeLessThan(20_000);
    expect(told[1]).toContain('</result>\n</user_shell_command>');
  });
});

describe('web search by the provider', () => {
  const search = {
    type: 'web_search_call',
    id: 'ws_1',
    status: 'completed',
    action: { type: 'search', query: 'cats' },
  };
  const specsOf = (live: LiveThread, request: number) =>
    (live.model.requests[request]!.body['tools'] as { type: string }[]).filter(({ type }) => type === 'web_search');

  it('is offered as configured, follows the sandbox, and keeps its items', async () => {
    const live = await LiveThread.in([answer({ items: [search, say('Cats.')] }), done], 'web_search = "cached"\n');
    await live.turn('search');
    expect(specsOf(live, 0)).toEqual([{ type: 'web_search', external_web_access: false }]);
    expect(live.told('item-completed').map(({ item }) => item)).toContainEqual({
      kind: 'web-search',
      id: 'ws_1',
      query: 'cats',
    });
    await live.open();
    await live.thread.overrideTurnContext({ sandbox: 'danger-full-access' });
    await live.turn('again');
    expect(specsOf(live, 1)).toEqual([{ type: 'web_search', external_web_access: true }]);
    expect(inputOf(live.model, 1)).toContainEqual(search);
  });

  it('is not offered where nothing is said', async () => {
    const live = await LiveThread.in([done]);
    await live.turn('go');
    expect(specsOf(live, 0)).toEqual([]);
  });
});

it('arguments that a tool does not have are ignored, and the end of its answer says so', async () => {
  const scene = await toldScene({ config: withoutSandbox });
  const plan = [{ step: 'Look', status: 'pending' }];
  const outputs = await scene.calls(
    callTool('exec_command', { cmd: 'echo hi', colour: 'red', login: null }),
    callTool('exec_command', { command: 'echo hi' }),
    callTool('update_plan', { plan, a: 1, b: 1, c: 1, d: 1, e: 1, f: 1 }),
  );
  expect(outputs[0]).toMatch(/hi\nIgnored, because this tool has no such argument: "colour"\.$/);
  expect(outputs[1]).toMatch(/`cmd` must .*\nIgnored, because this tool has no such argument: "command"\.$/);
  expect(outputs[2]).toBe(
    'Plan updated\nIgnored, because this tool has no such argument: "a", "b", "c", "d", "e" and 1 more.',
  );
});
