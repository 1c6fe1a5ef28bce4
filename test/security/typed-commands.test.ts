// @module-tag attack
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Answer, Question } from '../../src/index.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';

/** Outside of the temporary folders: only what leaves the sandbox can make files here. */
let base = '';
let repo = '';
beforeEach(() => {
  base = realpathSync(mkdtempSync('/var/tmp/capstan-typed-'));
  whenTestEnds(() => rmSync(base, { recursive: true, force: true }));
  repo = join(base, 'repo');
  mkdirSync(repo);
});

interface Run {
  readonly rules?: string;
  readonly answers?: readonly Answer[];
  readonly turns?: number;
  /** Approvals of the turns behind the first. */
  readonly later?: 'never' | 'untrusted';
}

/** Each call in a step of its own, one without a name ends a turn; `SESSION` stands for the session of the last one. */
async function run(
  calls: readonly (readonly [string, JsonObject])[],
  { rules = '', answers = [], turns = 1, later }: Run,
) {
  const live = await LiveThread.in(({ body, index }) => {
    const [, session = '0'] = /session ID (\d+)/.exec(JSON.stringify(body)) ?? [];
    const [tool, given] = calls[index] ?? ['', {}];
    if (tool === '') return answer({ items: [say('Done.')] });
    return answer({ items: [callTool(tool, JSON.parse(JSON.stringify(given).replace('"SESSION"', session)))] });
  });
  mkdirSync(join(live.place.home, 'rules'), { recursive: true });
  writeFileSync(join(live.place.home, 'rules/x.rules'), rules);
  const questions: Question[] = [];
  const askUser = {
    ask(question: Question): Promise<Answer> {
      questions.push(question);
      return Promise.resolve(answers[questions.length - 1] ?? { kind: 'declined' });
    },
  };
  const env = { CAPSTAN_HOME: live.place.home, PATH: '/usr/local/bin:/usr/bin:/bin', HOME: base };
  const overrides = ['sandbox_mode="workspace-write"', 'approval_policy="on-request"', 'allow_login_shell=false'];
  await live.open({ env, config: overrides, cwd: repo }, { cwd: repo, askUser });
  for (let turn = 0; turn < turns; turn++) {
    if (turn > 0 && later !== undefined) await live.thread.overrideTurnContext({ approvals: later });
    await live.turn('Go.');
  }
  return questions;
}

describe.runIf(process.platform === 'linux')('a command that the model can type into', () => {
  /** The words are harmless; what is typed is not. */
  const cmd = 'env -u X sh';
  const types = (): readonly [string, JsonObject] => [
    'write_stdin',
    { session_id: 'SESSION', chars: `touch ${base}/ran\n`, yield_time_ms: 1000 },
  ];

  test('stays in the sandbox whatever a rule allows', async () => {
    const rules = 'prefix_rule(pattern=["sh"])\nprefix_rule(pattern=["touch"])\n';
    const calls = [
      ['exec_command', { cmd: `touch ${base}/plain` }],
      ['exec_command', { cmd: 'sh', stdin: true, yield_time_ms: 300 }],
      types(),
    ] as const;
    expect(await run(calls, { rules })).toEqual([]);
    expect(['plain', 'ran'].map((name) => existsSync(join(base, name)))).toEqual([true, false]);
  });

  test(
    'is asked about again after a yes for the session to the same words, and the question says why',
    { tags: 'representative' },
    async () => {
      const escalated = { cmd, sandbox_permissions: 'require_escalated', justification: 'May I?' };
      const calls = [
        ['exec_command', escalated],
        ['exec_command', escalated],
        ['exec_command', { ...escalated, stdin: true, yield_time_ms: 300 }],
        types(),
      ] as const;
      const questions = await run(calls, { answers: [{ kind: 'allowed', scope: 'session' }] });
      expect(questions.map(({ typed, scopes }) => [typed, scopes])).toEqual([
        [undefined, expect.arrayContaining(['session'])],
        [true, ['call']],
      ]);
      expect(questions[1]?.reason).toContain('The model will be able to type into it');
      expect(existsSync(join(base, 'ran'))).toBe(false);
    },
  );

  test('runs outside after a yes to that question, and writing to it needs no other one', async () => {
    const escalated = { cmd, stdin: true, yield_time_ms: 300, sandbox_permissions: 'require_escalated' };
    const questions = await run([['exec_command', escalated], types()], { answers: [{ kind: 'allowed' }] });
    expect(questions).toHaveLength(1);
    expect(existsSync(join(base, 'ran'))).toBe(true);
  });

  test('ends with the turn whose permissions it has', async () => {
    const calls = [
      ['request_permissions', { permissions: { file_system: { write: [base] } } }],
      ['exec_command', { cmd: 'sh', stdin: true, yield_time_ms: 300 }],
      types(),
      ['', {}],
      ['write_stdin', { session_id: 'SESSION', chars: `touch ${base}/later\n`, yield_time_ms: 1000 }],
    ] as const;
    expect(await run(calls, { answers: [{ kind: 'allowed' }], turns: 2 })).toHaveLength(1);
    expect(['ran', 'later'].map((name) => existsSync(join(base, name)))).toEqual([true, false]);
  });

  test.each([
    ['never', { sandbox_permissions: 'require_escalated' }, 'ends'],
    ['never', {}, 'goes on'],
    ['untrusted', {}, 'ends'],
  ] as const)('under %s, started with %j, %s', async (later, more, expected) => {
    const calls = [
      ['exec_command', { cmd: 'sh', stdin: true, yield_time_ms: 300, ...more }],
      ['', {}],
      ['write_stdin', { session_id: 'SESSION', chars: `touch ${repo}/later\n`, yield_time_ms: 1000 }],
    ] as const;
    await run(calls, { answers: [{ kind: 'allowed' }], turns: 2, later });
    expect(existsSync(join(repo, 'later'))).toBe(expected === 'goes on');
  });
});
