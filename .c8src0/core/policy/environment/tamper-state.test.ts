import { expect, test } from 'vitest';
import { tamperedLoadingVariable } from './tamper-state.ts';

/** A disk on which commands may write in /project and /tmp. */
const ground = {
  look: () => ({ kind: 'folder' }) as const,
  isWritable: (path: string) => /^\/(?:project|tmp)(?:\/|$)/.test(path),
  cwd: '/project',
};

test.each([
  ['a library folder of the workspace', { LD_LIBRARY_PATH: '/usr/lib:/project/lib' }, 'LD_LIBRARY_PATH'],
  ['a folder without a name is the one that the program runs in', { LD_LIBRARY_PATH: '/usr/lib:' }, 'LD_LIBRARY_PATH'],
  ['libraries apart by spaces', { LD_PRELOAD: '/usr/lib/a.so /tmp/b.so' }, 'LD_PRELOAD'],
  ['the start file of a shell', { BASH_ENV: 'env.sh' }, 'BASH_ENV'],
  ['a module by its name', { NODE_OPTIONS: '-r hook' }, 'NODE_OPTIONS'],
  ['a module by its path', { NODE_OPTIONS: '--import=/project/hook.mjs' }, 'NODE_OPTIONS'],
  ['options of perl', { PERL5OPT: '-Mhook' }, undefined],
  ['a folder of perl', { PERL5OPT: '-Mstrict -I/project/lib' }, 'PERL5OPT'],
  ['a folder of perl in the folder', { PERL5OPT: '-Ilib' }, 'PERL5OPT'],
  ['a folder of perl that belongs to the system', { PERL5OPT: '-I/usr/share/perl' }, undefined],
  ['an agent of java', { JAVA_TOOL_OPTIONS: '-javaagent:/project/a.jar' }, 'JAVA_TOOL_OPTIONS'],
  ['a command for ssh', { GIT_SSH_COMMAND: './ssh -v' }, 'GIT_SSH_COMMAND'],
  ['a key for ssh', { GIT_SSH_COMMAND: 'ssh -i /home/me/.ssh/id -o A=b' }, undefined],
  ['settings for ssh that commands can write', { GIT_SSH_COMMAND: 'ssh -F/project/config' }, 'GIT_SSH_COMMAND'],
  ['an editor by its name', { EDITOR: 'vi' }, undefined],
  ['an editor of the workspace', { VISUAL: 'tools/edit --wait' }, 'VISUAL'],
  ['a trace', { GIT_TRACE: '/tmp/trace' }, 'GIT_TRACE'],
  ['a trace to the terminal', { GIT_TRACE2: '1' }, undefined],
  ['the name of a stage', { ENV: 'production' }, undefined],
  ['a library folder of the system', { LD_LIBRARY_PATH: '/usr/local/lib:/opt/x/lib' }, undefined],
  ['nothing', { LD_LIBRARY_PATH: '', BASH_ENV: '' }, undefined],
  ['options that load nothing', { NODE_OPTIONS: '--max-old-space-size=4096' }, undefined],
  ['a variable that loads nothing', { PWD: '/project', VIRTUAL_ENV: '/project/.venv' }, undefined],
])('%s', (_, variables, found) => {
  expect(tamperedLoadingVariable(variables as Record<string, string>, ground)).toBe(found);
});
