import { answer, callTool, say } from '../../../src/testing/index.ts';
import { command, done } from '../model.ts';
import { type Run, threadId } from '../run.ts';

const speeches = {
  main: [
    answer({ items: [say('I look.'), callTool('exec_command', { cmd: 'echo seen > made' })] }),
    done('First.'),
    command('cat made'),
    done('Second.'),
  ],
};

/** Commands that show what is stored or configured. */
export const commandRuns: readonly Run[] = [
  {
    name: 'reading-threads',
    speeches,
    async play(world) {
      const id = threadId(await world.run('exec', '--json', 'Look around.'));
      await world.run('exec', '--json', 'resume', id, 'Look again.');
      await world.run('context', id);
      await world.run('context', id, '--request', 'last');
      await world.run('envelope', id);
      await world.run('envelope', id, '--json');
      await world.run('envelope', id, '--turn', '2', '--diff', '1');
      await world.run('replay', id, '--request', '2', '--print');
      await world.run('threads', 'name', id, 'My thread');
      await world.run('threads', 'list');
      await world.run('threads', 'list', '--json');
      await world.run('threads', 'show', 'My thread');
      await world.run('threads', 'search', 'around');
      for (const format of ['jsonl', 'markdown', 'html']) {
        await world.run('threads', 'export', id, '-o', `${world.root}/exported.${format}`, '--format', format);
      }
    },
  },
  {
    name: 'reading-configuration',
    configuration: { top: 'approval_policy = "on-request"\n' },
    speeches: {},
    expects: ['output'],
    async play(world) {
      const rules = world.write('my.rules', 'prefix_rule(pattern = ["git", "push"], decision = "prompt")\n');
      await world.run('--help');
      await world.run('exec', '--help');
      await world.run('config', 'show', '--origin');
      await world.run('config', 'explain', 'sandbox_mode');
      await world.run('config', 'show', '-c', 'sandbox_mod="read-only"');
      await world.run('sandbox', 'explain', '-P', ':workspace');
      await world.run('sandbox', 'explain', '--json');
      await world.run('execpolicy', 'check', '--pretty', '-r', rules, 'git', 'push', '--force');
      await world.run('execpolicy', 'check', '-r', rules, 'ls');
      await world.run('no-such-command');
    },
  },
];
