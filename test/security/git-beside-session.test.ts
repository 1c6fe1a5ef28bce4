// @module-tag attack
import { beforeEach, describe, expect, test } from 'vitest';
import { createGitLab } from './git-lab.ts';

let lab: ReturnType<typeof createGitLab>;
beforeEach(() => {
  lab = createGitLab();
});

const rules = 'prefix_rule(pattern=["git", ["add", "status", "checkout", "tag"]])\n';

describe.runIf(process.platform === 'linux')('git beside a session that may write the workspace', () => {
  test('leaves the sandbox by a rule', async () => {
    await lab.run([[{ cmd: 'sleep $((30 + 30))', yield_time_ms: 250 }], [{ cmd: 'git tag new' }]], { rules });
    expect(lab.git('tag')).toBe('new\n');
  });

  test(
    'stays inside where it writes files, which the session could lead elsewhere',
    { tags: 'representative' },
    async () => {
      lab.branchWithLink('other', 'vendor');
      await lab.run([[{ cmd: 'sleep $((30 + 30))', yield_time_ms: 250 }], [{ cmd: 'git checkout other' }]], { rules });
      expect(lab.git('branch', '--show-current')).toBe('main\n');
      await lab.run([[{ cmd: 'git checkout other' }]], { rules });
      expect(lab.git('branch', '--show-current')).toBe('other\n');
    },
  );

  test('runs nothing that the session puts there meanwhile', async () => {
    lab.branchWithLink('evil', 'vendor');
    const hides = `${lab.plants('made')}; mv made/.git skel; mv skel/HEAD head`;
    const shows = 'mv skel vendor/.git; cp head vendor/.git/HEAD; sleep 0.03; rm vendor/.git/HEAD; mv vendor/.git skel';
    const session = { cmd: `${hides}; while :; do ${shows}; sleep 0.09; done`, yield_time_ms: 2000 };
    const looks = Array.from({ length: 6 }, () => [{ cmd: 'git status --short' }]);
    lab.git('checkout', 'evil');
    await lab.run([[session], ...looks], { rules });
    expect(lab.git('branch', '--show-current')).toBe('evil\n');
    expect(lab.hasEscaped()).toBe(false);
  });
});
