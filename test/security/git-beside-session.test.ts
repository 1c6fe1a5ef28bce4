import { beforeEach, describe, expect, test } from 'vitest';
import { createGitLab } from './git-lab.ts';

let lab: ReturnType<typeof createGitLab>;
beforeEach(() => {
  lab = createGitLab();
});

const rules = 'prefix_rule(pattern=["git", ["add", "status", "checkout"]])\n';

describe.runIf(process.platform === 'linux')('git beside a session that may write the workspace', () => {
  test('leaves the sandbox by a rule', async () => {
    lab.write('new', '');
    await lab.run([[{ cmd: 'sleep $((30 + 30))', yield_time_ms: 250 }], [{ cmd: 'git add new' }]], { rules });
    expect(lab.git('diff', '--cached', '--name-only')).toBe('new\n');
  });

  test('runs nothing that the session puts there meanwhile', async () => {
    lab.branchWithLink('evil', 'vendor');
    const hides = `${lab.plants('made')}; mv made/.git skel; mv skel/HEAD head`;
    const shows = 'mv skel vendor/.git; cp head vendor/.git/HEAD; sleep 0.03; rm vendor/.git/HEAD; mv vendor/.git skel';
    const session = { cmd: `${hides}; while :; do ${shows}; sleep 0.09; done`, yield_time_ms: 2000 };
    const looks = Array.from({ length: 6 }, () => [{ cmd: 'git status --short' }]);
    await lab.run([[session], [{ cmd: 'git checkout evil' }], ...looks], { rules });
    expect(lab.git('branch', '--show-current')).toBe('evil\n');
    expect(lab.hasEscaped()).toBe(false);
  });
});
