import { beforeEach, describe, expect, test } from 'vitest';
import { createGitLab, escalated } from './git-lab.ts';

let lab: ReturnType<typeof createGitLab>;
beforeEach(() => {
  lab = createGitLab();
});

const session = { cmd: 'sleep 60', yield_time_ms: 250 };
const rules = 'prefix_rule(pattern=["git", ["add", "status"]])\nprefix_rule(pattern=["sleep"])\n';
const inSandbox = { ...session, cmd: 'sleep $((30 + 30))' };

describe.runIf(process.platform === 'linux')('git beside a session that may write the workspace', () => {
  test.each([
    ['an earlier step', [[inSandbox], [{ cmd: 'git add new' }]]],
    ['the same step', [[inSandbox, { cmd: 'git add new' }]]],
  ])('stays in the sandbox whatever a rule allows, if the session is of %s', async (_name, steps) => {
    lab.write('new', '');
    const { warnings } = await lab.run(steps, { rules });
    expect(lab.git('diff', '--cached', '--name-only')).toBe('');
    expect(warnings.map(({ code, message }) => [code, message])).toContainEqual([
      'git-kept-inside',
      expect.stringMatching(/a command still runs and could change what git finds \(session \d+\)/),
    ]);
  });

  test('is asked about each time, and the question names the session', async () => {
    const call = { cmd: 'git status --short', ...escalated };
    const asked = () => ({ kind: 'allowed', scope: 'session' }) as const;
    const { questions } = await lab.run([[call], [inSandbox], [call], [call]], { asked });
    expect(questions.map(({ reason, scopes }) => [reason, scopes.includes('session')])).toEqual([
      ['It would run outside the sandbox.', true],
      [expect.stringMatching(/could change what git finds: session \d+\.$/), false],
      [expect.stringMatching(/could change what git finds: session \d+\.$/), false],
    ]);
  });

  test('leaves it when the session has ended, or has left the sandbox itself', async () => {
    lab.write('new', '');
    const short = { cmd: 'for i in 1; do sleep 0.6; done', yield_time_ms: 250 };
    const { warnings } = await lab.run([[short], [{ cmd: 'sleep 1' }], [session], [{ cmd: 'git add new' }]], { rules });
    expect(lab.git('diff', '--cached', '--name-only')).toBe('new\n');
    expect(warnings.map(({ code }) => code)).not.toContain('git-kept-inside');
  });
});
