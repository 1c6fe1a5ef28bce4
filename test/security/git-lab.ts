import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { Answer, Question } from '../../src/protocol/question.ts';
import type { ThreadEvent } from '../../src/protocol/thread-event.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';

const identity = ['-c', 'user.email=a@b', '-c', 'user.name=a', '-c', 'protocol.file.allow=always'];

/** The arguments of a command, or the text of a patch. */
type LabCall = JsonObject;

/** A repository outside of the temporary folders, and a file that only a command outside the sandbox can make. */
export function createGitLab() {
  const base = realpathSync(mkdtempSync('/var/tmp/capstan-git-'));
  whenTestEnds(() => rmSync(base, { recursive: true, force: true }));
  const [repo, home, ran] = [join(base, 'repo'), join(base, 'home'), join(base, 'ran')];
  for (const folder of [repo, home]) mkdirSync(folder);
  const git = (...words: readonly string[]): string => {
    const env = { PATH: process.env['PATH'], HOME: home };
    const { status, stdout, stderr } = spawnSync('git', [...identity, ...words], { cwd: repo, env, encoding: 'utf8' });
    return status === 0 ? stdout : `failed: ${stderr}`;
  };
  git('init', '-q', '-b', 'main', '.');
  git('commit', '-q', '--allow-empty', '-m', 'first');
  return {
    base,
    repo,
    home,
    git,
    hasEscaped: () => existsSync(ran),
    /** The commands that make a repository in which git would run a program. */
    plants: (folder: string): string =>
      `git init -q ${folder} && git -C ${folder} ${identity.join(' ')} fetch -q .. main 2>/dev/null; ` +
      `git -C ${folder} checkout -q FETCH_HEAD 2>/dev/null; ` +
      `git -C ${folder} config core.fsmonitor "touch ${ran}; false"; ` +
      `git -C ${folder} config diff.external "touch ${ran}; true #"`,
    /** A script that leaves the sandbox's mark. */
    marks: `touch ${ran}`,
    /** A branch whose index calls a folder a repository, which the others do not. */
    branchWithLink(branch: string, folder: string): void {
      git('checkout', '-q', '-b', branch);
      git('update-index', '--add', '--cacheinfo', `160000,${git('rev-parse', 'main').trim()},${folder}`);
      git('commit', '-q', '-m', 'link');
      git('checkout', '-q', 'main');
      rmSync(join(repo, folder), { recursive: true, force: true });
    },
    write(path: string, text: string, { mode }: { mode?: number } = {}): void {
      writeFileSync(join(repo, path), text);
      if (mode !== undefined) chmodSync(join(repo, path), mode);
    },
    /** Each step is an answer of the model with these calls. `asked` answers the questions. */
    async run(
      steps: readonly (readonly LabCall[])[],
      {
        rules = '',
        asked,
        cwd = repo,
        onEvent,
      }: {
        rules?: string;
        asked?: (question: Question) => Promise<Answer> | Answer;
        cwd?: string;
        onEvent?: (event: ThreadEvent) => void;
      } = {},
    ) {
      const said = steps.map((calls) => answer({ items: calls.map(toItem) }));
      const live = await LiveThread.in([...said, answer({ items: [say('Done.')] })]);
      mkdirSync(join(live.place.home, 'rules'), { recursive: true });
      writeFileSync(join(live.place.home, 'rules/x.rules'), rules);
      const env = { CAPSTAN_HOME: live.place.home, PATH: '/usr/local/bin:/usr/bin:/bin', HOME: home };
      const approval = asked === undefined ? 'never' : 'on-request';
      const overrides = ['sandbox_mode="workspace-write"', `approval_policy="${approval}"`, 'allow_login_shell=false'];
      const questions: Question[] = [];
      const askUser = asked && {
        async ask(question: Question) {
          questions.push(question);
          return asked(question);
        },
      };
      if (onEvent !== undefined) live.onEvent = onEvent;
      await live.open({ env, config: overrides, cwd }, { cwd, ...(askUser && { askUser }) });
      await live.turn('Go.');
      const outputs = live.told('item-completed').flatMap(({ item }) => (item.kind === 'command' ? [item] : []));
      const warnings = live.told('warning').map(({ outcome }) => outcome);
      return { live, warnings, outputs, questions };
    },
  };
}

export const escalated = { sandbox_permissions: 'require_escalated', justification: 'May I?' } as const;

function toItem(call: LabCall) {
  const { patch } = call;
  return patch === undefined ? callTool('exec_command', call) : callTool('apply_patch', { input: patch });
}
