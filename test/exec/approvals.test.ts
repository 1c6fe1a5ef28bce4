import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, callTool, say, type ScriptedModel } from '../../src/testing/index.ts';
import type { Place } from '../harness/run-capstan.ts';
import { inputOf, scene, textsOf } from '../harness/scene.ts';
import { hasTerminals, onTerminal, pressUntilOver } from '../harness/terminal.ts';
import { noNamespaces } from '../harness/namespaces.ts';

const escalated = (cmd: string) =>
  callTool('exec_command', { cmd, sandbox_permissions: 'require_escalated', justification: 'May I?' });
/** Temporary folders, in which the tests work, are not writable either. */
const closed = '[sandbox_workspace_write]\nexclude_slash_tmp = true\nexclude_tmpdir_env_var = true\n';
const done = answer({ items: [say('Done.')] });

/** A folder beside the workspace, which the sandbox does not let commands write. */
function outside(place: Place, name: string): string {
  const folder = join(place.root, 'outside');
  mkdirSync(folder, { recursive: true });
  return join(folder, name);
}

/** Without lines: one that matches nothing, because a file without answers is refused. */
function answersIn(place: Place, ...given: readonly object[]): string {
  const lines = given.length === 0 ? [{ prefix: ['none-of-them'], decision: 'denied' }] : given;
  const file = join(place.root, 'answers.jsonl');
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return file;
}

function toolIn(model: ScriptedModel, name: string): JsonObject | undefined {
  const tools = model.requests[0]!.body['tools'] as unknown as readonly JsonObject[];
  return tools.find((tool) => tool['name'] === name);
}

describe('exec --approvals FILE', () => {
  it('lets a call out of the sandbox that a line approves, and no other', async () => {
    const { model, place } = await scene((request) => {
      const [first, second] = [outside(place, 'first'), outside(place, 'second')];
      return request.index === 0
        ? answer({ items: [escalated(`touch ${first}`), escalated(`mkdir ${second}`)] })
        : done;
    }, closed);
    const file = answersIn(place, { prefix: ['touch'], decision: 'approved' });
    const { code, events, stderr } = await place.run('exec', '--json', '--approvals', file, 'go');
    expect(code, stderr).toBe(0);
    expect(['first', 'second'].map((name) => existsSync(outside(place, name)))).toEqual([true, false]);
    const asked = events.filter(({ type }) => type === 'question.asked');
    expect(asked).toMatchObject([
      {
        question: {
          kind: 'command',
          tool: 'exec_command',
          justification: 'May I?',
          commands: [['touch', outside(place, 'first')]],
        },
      },
      { question: { kind: 'command' } },
    ]);
    const answered = events.filter(({ type }) => type === 'question.answered');
    expect(answered.map(({ decision }) => decision)).toEqual(['approved', 'denied']);
    expect(textsOf(inputOf(model, 1))).toContain(
      'Not run: no answer was prepared for this run that would allow it. It would run outside the sandbox. Run it within the sandbox, or tell the user what is needed.',
    );
  });

  it('tells the model how to ask, and what to ask with', async () => {
    const { model, place } = await scene([done]);
    const file = answersIn(place);
    await place.run('exec', '--approvals', file, '-a', 'on-request', 'go');
    const said = JSON.stringify(model.requests[0]!.body['input']);
    expect(said).toContain('Approval: on-request. What stays inside the sandbox runs without a question.');
    expect(said).toContain('require_escalated');
    const { properties } = toolIn(model, 'exec_command')!['parameters'] as { readonly properties: JsonObject };
    expect(Object.keys(properties).slice(-3)).toEqual([
      'sandbox_permissions',
      'justification',
      'additional_permissions',
    ]);
    // A file saves no rule.
    expect(JSON.stringify(model.requests[0]!.body)).not.toContain('prefix_rule');
    expect(toolIn(model, 'request_permissions')).toBeDefined();
  });

  it('is how a view of the window foresees the next turn', async () => {
    const { place } = await scene([done]);
    const started = await place.run('exec', '--json', '--approvals', answersIn(place), 'go');
    const [, id = ''] = /"thread_id":"([\w-]+)"/.exec(started.stdout) ?? [];
    const { stdout } = await place.run('context', id);
    expect(stdout).toContain('request_permissions');
    expect(stdout).not.toContain('that the next turn will send');
  });

  it('without it, nothing of that is sent, and what would be asked is refused', async () => {
    const { model, place } = await scene([answer({ items: [escalated('ls')] }), done]);
    const { events } = await place.run('exec', '--json', 'go');
    const sent = JSON.stringify(model.requests[0]!.body);
    expect(sent).toContain('Approval: never. The user cannot be asked.');
    expect(sent).not.toMatch(/sandbox_permissions|justification|request_permissions/);
    expect(events.some(({ type }) => String(type).startsWith('question.'))).toBe(false);
    expect(textsOf(inputOf(model, 1)).at(-1)).toBe(
      'Not run: the approval policy is never, and the user cannot be asked. Run it within the sandbox, or tell the user what is needed.',
    );
  });

  it('a patch outside the workspace is applied in the folders of its files alone', async () => {
    const { model, place } = await scene((request) => {
      const target = outside(place, 'new.txt');
      const patch = `*** Begin Patch\n*** Add File: ${target}\n+hello\n*** Add File: in.txt\n+x\n*** End Patch\n`;
      return request.index === 0
        ? answer({ items: [callTool('exec_command', { cmd: `apply_patch <<'E'\n${patch}E\n` })] })
        : done;
    }, closed);
    const { code, stderr } = await place.run(
      'exec',
      '--approvals',
      answersIn(place, { kind: 'patch', decision: 'approved' }),
      'go',
    );
    expect(code, stderr).toBe(0);
    expect(readFileSync(outside(place, 'new.txt'), 'utf8')).toBe('hello\n');
    expect(stderr).toContain('May these files be changed?');
    expect(textsOf(inputOf(model, 1)).at(-1)).toContain('Success');
  });

  it('more permissions let a command write where it could not, and still nowhere else', async ({ skip }) => {
    skip(noNamespaces);
    const { place } = await scene((request) => {
      if (request.index > 0) return done;
      const [inside, beside] = [outside(place, 'f'), join(place.root, 'g')];
      const wanted = { file_system: { write: [join(place.root, 'outside')] } };
      const mode = { sandbox_permissions: 'with_additional_permissions', additional_permissions: wanted };
      return answer({ items: [callTool('exec_command', { cmd: `touch ${inside}; touch ${beside}`, ...mode })] });
    }, closed);
    const file = answersIn(place, { kind: 'command', decision: 'approved' });
    await place.run('exec', '--approvals', file, 'go');
    expect([existsSync(outside(place, 'f')), existsSync(join(place.root, 'g'))]).toEqual([true, false]);
  });

  it('a line that is not understood stops everything before it begins', async () => {
    const { model, place } = await scene([done]);
    const file = answersIn(place, { kind: 'patch', decision: 'approved' }, { kind: 'patch', decision: 'yes' });
    const { code, stderr } = await place.run('exec', '--approvals', file, 'go');
    expect([code, model.requests.length]).toEqual([1, 0]);
    expect(stderr).toContain(`${file}:2: "decision" must be approved, denied or abort.`);
  });

  it.each([
    [['--approvals', 'nowhere.jsonl'], 'The answers in nowhere.jsonl cannot be read'],
    [['--approvals', ''], '--approvals names no file.'],
    [['--approvals', 'ask'], '--approvals ask needs a terminal to ask at'],
    [['--approvals', 'ask', '--yolo'], 'cannot be used together'],
  ])('%j is refused', async (words, said) => {
    const { model, place } = await scene([done]);
    const { code, stderr } = await place.run('exec', ...words, 'go');
    expect([code, model.requests.length]).toEqual([1, 0]);
    expect(stderr).toContain(said);
  });

  it('says when the policy leaves nothing to ask', async () => {
    const { place } = await scene([done]);
    const file = answersIn(place, { kind: 'patch', decision: 'denied' });
    const { stderr } = await place.run('exec', '--approvals', file, '-a', 'never', 'go');
    expect(stderr).toContain('The approval policy is never, so --approvals has no effect.');
  });

  it('a policy that asks says that nothing can be asked without it, and a refusal how to be asked, to the user alone', async () => {
    const { model, place } = await scene([answer({ items: [escalated('ls'), escalated('pwd')] }), done]);
    const { stderr } = await place.run('exec', '-a', 'on-request', 'go');
    expect(stderr).toContain('-a on-request has no effect without --approvals: this run has the policy never.');
    expect(stderr.split('To be asked about such calls, run Capstan with --approvals ask.')).toHaveLength(2);
    expect(textsOf(inputOf(model, 1)).join('')).not.toContain('--approvals');
  });

  it('says where a command ran that left the sandbox, on the screen and in the thread, also where reads are denied', async ({
    skip,
  }) => {
    skip(noNamespaces);
    const { place } = await scene((request) => {
      const file = outside(place, `f${request.index}`);
      return request.index % 2 === 0 ? answer({ items: [escalated(`touch ${file} .git/made`)] }) : done;
    }, closed);
    const file = answersIn(place, { kind: 'command', decision: 'approved' });
    const profile = `permissions.dev={extends=":workspace",filesystem={"${outside(place, 'secret')}"="deny"}}`;
    const denying = ['-c', profile, '-c', 'default_permissions="dev"'];
    mkdirSync(outside(place, 'secret'));
    const free = await place.run('exec', '--approvals', file, 'go');
    const held = await place.run('exec', ...denying, '--approvals', file, 'go');
    expect(free.stderr).toContain('[runs outside the sandbox]\n  [exit 0]');
    expect(held.stderr).toContain('[runs in a sandbox that only hides denied paths]\n  [exit 0]');
    const shown = async (run: { readonly stderr: string }, ...more: readonly string[]) => {
      const [, id = ''] = /thread ([\w-]+)/.exec(run.stderr) ?? [];
      return (await place.run('threads', 'show', id, ...more)).stdout;
    };
    const asked = '    asked whether it may run: yes\n';
    expect(await shown(free)).toContain(`[exit 0]\n${asked}    ran outside the sandbox\n`);
    expect(await shown(held, '--full')).toContain(`${asked}    ran in a sandbox that only hides denied paths\n`);
    expect(await shown(held, '--full', '--json')).toContain(
      '"asked":[{"kind":"command","answer":{"kind":"allowed","scope":"call"}}],"outside":true,"confined":true',
    );
  });

  it('marks what runs outside the sandbox, and keeps the option in the command that resumes', async () => {
    const { place } = await scene([answer({ items: [escalated('echo out')] }), answer({ items: [escalated('pwd')] })]);
    const lines = [
      { prefix: ['echo'], decision: 'approved' },
      { prefix: ['pwd'], decision: 'abort' },
    ];
    const file = answersIn(place, ...lines);
    const { stderr } = await place.run('exec', '--approvals', file, 'go');
    expect(stderr).toContain('$ echo out\n  [runs outside the sandbox]\n  out\n');
    expect(stderr).toMatch(new RegExp(`To resume: capstan exec resume \\S+ --approvals ${file} "Continue\\."`));
  });

  it('a call that is asked about again has another question id', async ({ skip }) => {
    skip(noNamespaces);
    const { place } = await scene((request) => {
      const touched = callTool('exec_command', { cmd: `touch ${outside(place, 'first')}` });
      return request.index === 0 ? answer({ items: [touched] }) : done;
    }, closed);
    const file = answersIn(place, { kind: 'command', decision: 'approved' }, { kind: 'retry', decision: 'denied' });
    const { events } = await place.run('exec', '--json', '-a', 'untrusted', '--approvals', file, 'go');
    const asked = events.filter(({ type }) => type === 'question.asked').map(({ question }) => question as JsonObject);
    const [first, second] = asked.map(({ id }) => id);
    expect(asked.map(({ kind }) => kind)).toEqual(['command', 'retry']);
    expect(second).not.toBe(first);
    expect(asked[1]?.['call_id']).toBe(asked[0]?.['call_id']);
    const answered = events.filter(({ type }) => type === 'question.answered');
    expect(answered.map(({ question_id: id, decision }) => [id, decision])).toEqual([
      [first, 'approved'],
      [second, 'denied'],
    ]);
  });
});

describe('what is in a command', () => {
  it('that destroys is asked about inside the sandbox, and refused by its class without someone to ask', async () => {
    const { model, place } = await scene((request) =>
      request.index % 2 === 0 ? answer({ items: [callTool('exec_command', { cmd: 'mkdir d && rm -rf d' })] }) : done,
    );
    const { events } = await place.run('exec', '--json', '--approvals', answersIn(place), 'go');
    expect(events.find(({ type }) => type === 'question.asked')).toMatchObject({
      question: {
        reason: '`rm -rf d` removes files by force. It would run inside the sandbox. A yes counts for this call alone.',
        scopes: ['call'],
      },
    });
    await place.run('exec', 'go');
    expect(textsOf(inputOf(model, 3)).at(-1)).toBe(
      'Not run: `rm -rf d` removes files by force; the approval policy is never, and the user cannot be asked. Remove what you mean by name and without -f, or tell the user what to remove.',
    );
  });

  it('that only reads is not asked about under untrusted, and what else there is, is', async () => {
    const { place } = await scene((request) =>
      request.index === 0
        ? answer({ items: ['ls -a | wc -l', 'touch x'].map((cmd) => callTool('exec_command', { cmd })) })
        : done,
    );
    const { events } = await place.run('exec', '--json', '-a', 'untrusted', '--approvals', answersIn(place), 'go');
    const asked = events.filter(({ type }) => type === 'question.asked');
    expect(asked).toMatchObject([{ question: { prefix: ['touch', 'x'], scopes: ['call', 'session', 'rule'] } }]);
    expect(existsSync(join(place.workspace, 'x'))).toBe(false);
  });

  it('that the sandbox stops runs again outside, in the same call', async ({ skip }) => {
    skip(noNamespaces);
    const { model, place } = await scene(
      (request) =>
        request.index === 0
          ? answer({ items: [callTool('exec_command', { cmd: `touch ${outside(place, 'late')}` })] })
          : done,
      closed,
    );
    const file = answersIn(place, { kind: 'retry', decision: 'approved' });
    const { code, stderr } = await place.run('exec', '--approvals', file, 'go');
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('The sandbox stopped this command. May it run again?');
    expect(existsSync(outside(place, 'late'))).toBe(true);
    expect(textsOf(inputOf(model, 1)).at(-1)).toContain('This is the second run.');
  });
});

describe.runIf(hasTerminals)('exec --approvals ask', () => {
  it('asks at the terminal, and goes on with the answer', async () => {
    const { model, place } = await scene(
      (request) => (request.index === 0 ? answer({ items: [escalated(`touch ${outside(place, 'f')}`)] }) : done),
      closed,
    );
    const running = place.start(['exec', '--approvals', 'ask', 'go'], {
      prefix: onTerminal,
      input: 'open',
      env: { TERM: 'xterm' },
    });
    await vi.waitUntil(() => running.stdout.includes('[y]'), { timeout: 30_000 });
    const { code, stdout } = await pressUntilOver(() => running.child.stdin?.write('y'), running.finished);
    expect(code, stdout).toBe(0);
    expect(existsSync(outside(place, 'f'))).toBe(true);
    expect(model.requests).toHaveLength(2);
  });

  it('a rule that is saved counts for the next call already, and a note shows while it is typed', async () => {
    const calls = ['echo zed', 'echo zed more', 'pwd'].map((cmd) => answer({ items: [escalated(cmd)] }));
    const { model, place } = await scene([...calls, done]);
    const options = { prefix: onTerminal, input: 'open', env: { TERM: 'xterm' } } as const;
    const running = place.start(['exec', '--approvals', 'ask', 'go'], options);
    const press = async (key: string, shown: RegExp): Promise<void> => {
      await vi.waitUntil(() => shown.test(running.stdout), { timeout: 30_000 });
      await new Promise((resolve) => void setTimeout(resolve, 1000));
      running.child.stdin?.write(key);
    };
    await press('p', /\[s\]/);
    await press('t', /\[s\][^]*\[s\]/);
    await press('no need', /Enter sends/);
    await press('\r', / {2}> no need/);
    const { code, stdout } = await running.finished;
    expect(code, stdout).toBe(0);
    expect(stdout.split('May this command run?')).toHaveLength(3);
    expect(stdout).toMatch(/the rule goes to \S+default\.rules/);
    expect(textsOf(inputOf(model, 2)).at(-1)).toContain('zed more');
    expect(textsOf(inputOf(model, 3)).at(-1)).toContain('no need');
  });

  it('Ctrl-C at a question ends the turn', async () => {
    const { model, place } = await scene(
      (request) => (request.index === 0 ? answer({ items: [escalated(`touch ${outside(place, 'f')}`)] }) : done),
      closed,
    );
    const running = place.start(['exec', '--approvals', 'ask', 'go'], {
      prefix: onTerminal,
      input: 'open',
      env: { TERM: 'xterm' },
    });
    await vi.waitUntil(() => running.stdout.includes('[y]'), { timeout: 30_000 });
    running.child.stdin?.write('\u0003');
    const { code } = await running.finished;
    expect([code, model.requests.length, existsSync(outside(place, 'f'))]).toEqual([130, 1, false]);
  });
});
