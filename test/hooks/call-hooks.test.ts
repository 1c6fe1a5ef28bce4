import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Answer, Question } from '../../src/protocol/question.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { hook, hookedScene, type HookTable, prints } from './hooked-scene.ts';
import { withoutSandbox } from '../harness/scene.ts';

const done = answer({ items: [say('Done.')] });
const runs = (cmd: string) => answer({ items: [callTool('exec_command', { cmd })] });

function decides(permissionDecision: string, more: Record<string, string | { command: string }> = {}): string {
  return prints({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, ...more } });
}

async function call(cmd: string, hooks: HookTable, config = '', answers?: readonly Answer[]) {
  const scene = await hookedScene([runs(cmd), done], hooks, { config });
  const asked: Question[] = [];
  const left = [...(answers ?? [])];
  const ask = async (question: Question): Promise<Answer> => {
    asked.push(question);
    return left.shift() ?? { kind: 'declined' };
  };
  await scene.live.open({}, answers === undefined ? {} : { askUser: { ask } });
  await scene.live.turn('go');
  const output = scene.live.added(1).find(([kind]) => kind === 'output')?.[1] ?? '';
  return { ...scene, asked, output };
}

describe('before a call', () => {
  it('a hook that exits with 2 keeps it from running, and the model reads why', async () => {
    const { output, live } = await call('touch made', { PreToolUse: [hook('echo "No files" >&2; exit 2')] });
    expect(output).toBe('Command blocked by PreToolUse hook: No files. Command: touch made');
    expect(live.told('call-refused')).toHaveLength(1);
    expect(live.told('item-started')).toEqual([]);
  });

  it('a no comes with context, which stands after the answers', async () => {
    const deny = decides('deny', { permissionDecisionReason: 'Not now.', additionalContext: 'Use make.' });
    const { live } = await call('touch made', { PreToolUse: [hook(deny)] });
    expect(live.added(1).slice(-2)).toEqual([
      ['output', 'Command blocked by PreToolUse hook: Not now. Command: touch made'],
      ['developer', '<hook_context>\nUse make.\n</hook_context>'],
    ]);
  });

  it('a hook changes what runs, later hooks see that, and the item of the model stays as it was', async () => {
    const { output, live, seen } = await (async () => {
      const scene = await hookedScene([runs('echo model'), done], {}, { config: withoutSandbox });
      scene.write({
        PreToolUse: [hook(decides('allow', { updatedInput: { command: 'echo hook' } }), { matcher: 'Bash' })],
        PostToolUse: [hook(scene.keeps('after.json'))],
      });
      await scene.live.turn('go');
      return { ...scene, output: scene.live.added(1).at(-1)?.[1] ?? '' };
    })();
    expect(output).toMatch(/^A hook of the user changed this call before it ran\. What ran: echo hook\n[^]*\nhook\n?$/);
    expect(seen('after.json')).toMatchObject([
      { tool_name: 'Bash', tool_input: { command: 'echo hook' }, tool_response: 'hook\n' },
    ]);
    const [own] = live.place.lines().filter(({ payload }) => payload['type'] === 'function_call');
    expect(own?.payload['arguments']).toBe(JSON.stringify({ cmd: 'echo model' }));
  });

  it('what a hook made of a call is decided again: a rule that forbids it holds', async () => {
    const scene = await hookedScene([runs('echo model'), done], {
      PreToolUse: [hook(decides('allow', { updatedInput: { command: 'git push' } }))],
    });
    const { home } = scene.live.place;
    mkdirSync(join(home, 'rules'));
    writeFileSync(join(home, 'rules/mine.rules'), 'prefix_rule(["git", "push"], "forbidden")\n');
    await scene.live.turn('go');
    expect(scene.live.added(1).at(-1)?.[1]).toMatch(/^Not run: /);
  });

  it('a plain yes answers the question that the user would be asked', async () => {
    const config = `${withoutSandbox}approval_policy = "untrusted"`;
    const { output, asked } = await call('touch made', { PreToolUse: [hook(decides('allow'))] }, config, []);
    expect([asked.length, output.includes('Exit code: 0') || output.includes('exited with code 0')]).toEqual([0, true]);
  });

  it('a yes lifts neither what a rule forbids nor what a rule of the administrator asks about', async () => {
    const yes = prints({
      hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } },
    });
    const scene = await hookedScene(
      [answer({ items: ['git push', 'touch asked'].map((cmd) => callTool('exec_command', { cmd })) }), done],
      { PreToolUse: [hook(decides('allow'))], PermissionRequest: [hook(yes)] },
      { config: 'approval_policy = "untrusted"' },
    );
    const { root, home } = scene.live.place;
    mkdirSync(join(home, 'rules'));
    writeFileSync(join(home, 'rules/mine.rules'), 'prefix_rule(["git", "push"], "forbidden")\n');
    const system = join(root, 'system');
    mkdirSync(system);
    const rule = '{ pattern = [{ token = "touch" }], decision = "prompt" }';
    writeFileSync(join(system, 'requirements.toml'), `[rules]\nprefix_rules = [${rule}]\n`);
    const asked: Question[] = [];
    const ask = async (question: Question): Promise<Answer> => {
      asked.push(question);
      return { kind: 'declined' };
    };
    await scene.live.open({ systemFolders: [system] }, { askUser: { ask } });
    await scene.live.turn('go');
    const outputs = scene.live.added(1).filter(([kind]) => kind === 'output');
    expect(outputs.map(([, text]) => text)).toEqual([
      expect.stringMatching(/^Not run: /),
      expect.stringMatching(/^Not run: /),
    ]);
    expect(asked.map(({ argv }) => argv?.at(-1))).toEqual(['touch asked']);
  });

  it('what a hook made of a call is asked about like any other, whatever it says beside it', async () => {
    const hooks = { PreToolUse: [hook(decides('allow', { updatedInput: { command: 'touch other' } }))] };
    const { asked, output } = await call('ls', hooks, 'approval_policy = "untrusted"', [{ kind: 'declined' }]);
    expect(asked.map(({ argv }) => argv?.at(-1))).toEqual(['touch other']);
    expect(output).toMatch(/^Not run: /);
  });

  it('what a hook makes of a call that no tool can read does not run', async () => {
    const { output } = await call('ls', {
      PreToolUse: [
        hook(
          prints({
            hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow', updatedInput: {} },
          }),
        ),
      ],
    });
    expect(output).toBe(
      'Not run: a hook of the user changed this call, and what it made of it cannot run. updatedInput has no `command`.',
    );
  });

  it('a question is put to the user, where one can be asked', async () => {
    const hooks = { PreToolUse: [hook(decides('ask'))] };
    const config = 'approval_policy = "on-request"';
    const yes = await call('echo one', hooks, config, [{ kind: 'allowed' }]);
    expect(yes.asked).toMatchObject([
      {
        kind: 'command',
        reason: 'A hook wants you to decide. A yes counts for this call alone: the hook asks each time.',
        scopes: ['call'],
      },
    ]);
    expect(yes.output).toContain('one');
    const none = await call('echo one', hooks, config);
    expect(none.output).toContain('Not run: a hook wants the user to decide, and the user cannot be asked.');
  });

  it('a hook that breaks changes nothing, unless it must succeed', async () => {
    const open = await call('echo one', { PreToolUse: [hook('exit 7')] });
    expect(open.output).toContain('one');
    expect(open.live.told('warning').map(({ outcome }) => outcome.code)).toEqual(['hook-failed']);
    const closed = await call('echo one', { PreToolUse: [hook('exit 7', { failClosed: true })] });
    expect(closed.output).toBe(
      'Command blocked by PreToolUse hook: A hook that must succeed failed. It exited with code 7. Command: echo one',
    );
  });

  it('one that nothing waits for cannot block; its words arrive before the next request', async () => {
    const deny = decides('deny', { permissionDecisionReason: 'No.', additionalContext: 'Late words.' });
    const { output, live } = await call('sleep 0.5; echo one', { PreToolUse: [hook(deny, { async: true })] });
    expect(output).toContain('one');
    expect(live.rows(1).at(-1)).toEqual(['developer', '<hook_context>\nLate words.\n</hook_context>']);
  });
});

describe('a question about a call', () => {
  const request = (behavior: string) =>
    prints({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior, message: 'By me.' } } });
  const config = 'approval_policy = "untrusted"';

  it('is answered by a hook before the user is asked', async () => {
    const yes = await call('touch made', { PermissionRequest: [hook(request('allow'))] }, config, []);
    expect([yes.asked.length, yes.live.told('question-answered')[0]?.answer]).toEqual([
      0,
      { kind: 'allowed', by: 'hook', note: 'By me.' },
    ]);
    const no = await call('touch made', { PermissionRequest: [hook(request('deny'))] }, config, []);
    expect(no.output).toBe('Not run: a hook of the user declined it: By me.');
  });

  it('goes to the user where hooks say nothing', async () => {
    const { asked } = await call('touch made', { PermissionRequest: [hook('cat >/dev/null')] }, config, []);
    expect(asked).toHaveLength(1);
  });
});

describe('after a call', () => {
  it('a hook replaces what the model reads, with or without a failure', async () => {
    const withholds = prints({ decision: 'block', reason: 'Too loud.' });
    const blocks = await call('echo one', { PostToolUse: [hook(withholds)] }, withoutSandbox);
    expect(blocks.output).toBe(
      'The call ran and exited with code 0. A PostToolUse hook of the user withholds its result and says: Too loud.',
    );
    expect(blocks.live.told('item-completed')[0]?.item).toMatchObject({ kind: 'command', status: 'failed' });
    const own = { hookEventName: 'PostToolUse', updatedToolOutput: 'two' };
    const kept = await call('echo one', { PostToolUse: [hook(prints({ hookSpecificOutput: own }))] }, withoutSandbox);
    expect(kept.output).toBe('two');
    expect(kept.live.told('item-completed')[0]?.item).toMatchObject({ kind: 'command', status: 'completed' });
  });
});

it('of a command that runs on, hooks are asked when it has ended, about the call that started it', async () => {
  const scene = await hookedScene(
    (request) => {
      const outputs = JSON.stringify(request.body['input']);
      const id = Number(/session ID (\d+)/.exec(outputs)?.[1]);
      if (outputs.includes('Process exited') || outputs.includes('Too loud')) return done;
      const cmd = 'echo one; read -r line; echo "got $line"';
      return answer({
        items: [
          Number.isNaN(id)
            ? callTool('exec_command', { cmd, tty: true, yield_time_ms: 500 }, 'call_start')
            : callTool('write_stdin', { session_id: id, chars: 'two\n', yield_time_ms: 5000 }, 'call_write'),
        ],
      });
    },
    {},
    { config: withoutSandbox },
  );
  const { live, keeps, seen } = scene;
  scene.write({
    PreToolUse: [hook(keeps('before.json'))],
    PostToolUse: [hook(`${keeps('after.json')}; echo "Too loud." >&2; exit 2`)],
  });
  await live.turn('go');
  const command = 'echo one; read -r line; echo "got $line"';
  expect(seen('before.json')).toMatchObject([
    { tool_name: 'Bash', tool_use_id: 'call_start', tool_input: { command, tty: true } },
    {
      tool_name: 'write_stdin',
      tool_use_id: 'call_write',
      tool_input: { command: 'two\n', session_id: expect.any(Number) },
    },
  ]);
  expect(seen('after.json')).toEqual([
    expect.objectContaining({
      tool_name: 'Bash',
      tool_use_id: 'call_start',
      tool_input: { command: 'echo one; read -r line; echo "got $line"' },
      tool_response: expect.stringContaining('got two'),
    }),
  ]);
  expect(live.rows(2).at(-1)).toEqual([
    'output',
    expect.stringMatching(/^The call ran.* withholds its result and says: Too loud\.$/),
  ]);
});

it('what is typed into a command is held by a hook for commands', async () => {
  const calls = [
    callTool('exec_command', { cmd: 'sh', stdin: true, yield_time_ms: 300 }),
    callTool('write_stdin', { session_id: 1000, chars: 'echo FORBIDDEN\n' }),
  ];
  const script = [...calls.map((each) => answer({ items: [each] })), done];
  const bans = `grep -q FORBIDDEN && { echo 'No.' >&2; exit 2; } || exit 0`;
  const { live } = await hookedScene(script, { PreToolUse: [hook(bans, { matcher: 'Bash' })] });
  await live.turn('go');
  expect(live.added(2).at(-1)).toEqual(['output', 'Tool call blocked by PreToolUse hook: No. Tool: write_stdin']);
});

it('a yes answers neither for typed input outside the sandbox nor in plan mode, and hooks see what is asked for', async () => {
  const wide = { sandbox_permissions: 'require_escalated', justification: 'May I?' };
  const calls = [
    callTool('exec_command', { cmd: 'cat', stdin: true, workdir: '/', ...wide }),
    callTool('exec_command', { cmd: 'touch made', ...wide }),
  ];
  const scene = await hookedScene(
    calls.flatMap((each) => [answer({ items: [each] }), done]),
    {},
    { config: 'approval_policy = "on-request"' },
  );
  const yes = prints({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } } });
  scene.write({
    PreToolUse: [hook(decides('allow')), hook(scene.keeps('before.json'))],
    PermissionRequest: [hook(yes)],
  });
  const asked: Question[] = [];
  const ask = async (question: Question): Promise<Answer> => {
    asked.push(question);
    return { kind: 'declined' };
  };
  await scene.live.open({}, { askUser: { ask } });
  await scene.live.turn('go');
  await scene.live.thread.overrideTurnContext({ collaboration: { mode: 'plan' } });
  await scene.live.turn('go');
  expect(asked.map(({ argv }) => argv?.at(-1))).toEqual(['cat', 'touch made']);
  expect(scene.seen('before.json')).toMatchObject([
    { tool_input: { command: 'cat', stdin: true, workdir: '/', ...wide } },
    { tool_input: { command: 'touch made', ...wide }, permission_mode: 'plan' },
  ]);
});
