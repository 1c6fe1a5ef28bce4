import { callTool, answer, failed, httpError, reason, say } from '../../../src/testing/index.ts';
import { calls, command, done, patch } from '../model.ts';
import { type Run, threadId } from '../run.ts';

const withEvents = ['request', 'file', 'event'] as const;

/** Turns of `capstan exec`, and what tools, hooks, skills and agents do in them. */
export const turnRuns: readonly Run[] = [
  {
    name: 'exec-plain',
    speeches: {
      main: [
        answer({
          items: [reason('**Looking**'), callTool('exec_command', { cmd: 'echo seen; echo bad >&2; exit 3' })],
        }),
        answer({ items: [say('All done.')], deltas: true }),
      ],
    },
    async play(world) {
      world.write('workspace/notes.txt', 'one\n');
      await world.run('exec', 'Look at the notes.');
      await world.run('exec');
      await world.run('exec', '--no-such-option', 'x');
    },
  },
  {
    name: 'exec-events-and-resume',
    speeches: {
      main: [
        command('cat notes.txt; touch made'),
        calls('update_plan', {
          plan: [
            { step: 'Read', status: 'completed' },
            { step: 'Write', status: 'pending' },
          ],
        }),
        done('First.'),
        done('Second.'),
        done('Third.'),
      ],
    },
    expects: withEvents,
    async play(world) {
      world.write('workspace/notes.txt', 'one\n');
      const id = threadId(await world.run('exec', '--json', '--context-events', 'Begin.'));
      await world.run('exec', '--json', '--context-events', 'resume', id, 'Go on.');
      await world.runWith({ input: 'piped words' }, 'exec', 'resume', '--last', '-');
    },
  },
  {
    name: 'fork-and-rollback',
    speeches: { main: [done('One.'), done('Two.'), done('Forked.'), done('Again.')] },
    expects: withEvents,
    async play(world) {
      const id = threadId(await world.run('exec', '--json', 'one'));
      await world.run('exec', '--json', 'resume', id, 'two');
      await world.run('exec', '--json', 'fork', id, 'forked');
      await world.run('threads', 'rollback', id, '--json');
      await world.run('exec', '--json', 'resume', id, 'again');
      await world.run('threads', 'show', id);
    },
  },
  {
    name: 'patch-and-undo',
    speeches: {
      main: [
        patch('*** Update File: f.txt', '@@', '-one', '+two', '*** Add File: sub/new.txt', '+new'),
        done('Patched.'),
        command('echo three > f.txt; rm gone.txt'),
        done('Changed.'),
        patch('*** Update File: nowhere.txt', '@@', '-one', '+two'),
        done('It failed.'),
      ],
    },
    expects: withEvents,
    async play(world) {
      world.write('workspace/f.txt', 'one\n');
      world.write('workspace/gone.txt', 'gone\n');
      const id = threadId(await world.run('exec', '--json', 'Patch.'));
      await world.run('exec', '--json', 'resume', id, 'Change.');
      await world.run('exec', '--json', 'resume', id, 'Patch wrongly.');
      await world.run('threads', 'files', id);
      await world.run('threads', 'restore', id, '--before-turn', '1', '--dry-run');
      await world.run('threads', 'restore', id, '--before-turn', '2');
      await world.run('threads', 'restore', id, '--undo', '--json');
      await world.run('threads', 'rollback', id, '--both', '-n', '2');
      await world.run('threads', 'undo-rollback', id);
    },
  },
  {
    name: 'instructions-change',
    speeches: { main: [done('One.'), done('Two.'), done('Three.')] },
    expects: withEvents,
    async play(world) {
      world.write('workspace/AGENTS.md', 'Use tabs.\n');
      const id = threadId(await world.run('exec', '--json', 'one'));
      world.write('workspace/AGENTS.md', 'Use two blanks.\n');
      await world.run('exec', '--json', 'resume', id, 'two');
      await world.run('exec', '--json', '-s', 'read-only', '--mode', 'plan', 'resume', id, 'three');
      await world.run('context', id, '--changes');
    },
  },
  {
    name: 'approvals',
    configuration: { top: 'approval_policy = "on-request"\n' },
    speeches: {
      main: [
        command('touch ../outside/first', { sandbox_permissions: 'require_escalated', justification: 'May I?' }),
        command('mkdir ../outside/second', { sandbox_permissions: 'require_escalated', justification: 'And this?' }),
        command('git push --force'),
        done(),
      ],
    },
    expects: withEvents,
    async play(world) {
      const answers = world.write('answers.jsonl', '{"prefix":["touch"],"decision":"approved"}\n');
      world.write('home/rules/default.rules', 'prefix_rule(pattern = ["git", "push"], decision = "forbidden")\n');
      await world.run('exec', '--json', '--approvals', answers, 'Touch both.');
    },
  },
  {
    name: 'tool-server',
    configuration: { top: 'approval_policy = "never"\n' },
    speeches: {
      main: [calls('mcp__docs__look', { at: 'the door' }), calls('mcp__docs__fail', {}), done('It is closed.')],
    },
    expects: withEvents,
    async play(world) {
      const schema = { type: 'object', properties: { at: { type: 'string' } } };
      const annotations = { readOnlyHint: true, openWorldHint: false };
      const tools = ['look', 'fail'].map((name) => ({
        name,
        description: `Can ${name}.`,
        inputSchema: schema,
        annotations,
      }));
      const content = (text: string): object => ({ content: [{ type: 'text', text }] });
      const results = {
        look: { result: content('The door is closed.') },
        fail: { result: { ...content('No such place.'), isError: true } },
      };
      const plan = world.write(
        'home/plan.json',
        JSON.stringify({ tools, calls: results, instructions: 'Look first.' }),
      );
      const program = new URL('../../mcp/start-scripted-server.mjs', import.meta.url).pathname;
      world.configure({
        tables: `[mcp_servers.docs]
command = ${JSON.stringify(process.execPath)}
args = ${JSON.stringify([program, plan, `${world.root}/tmp/server.log`])}
`,
      });
      await world.run('exec', '--json', 'Look at the door.');
      await world.run('mcp', 'list');
    },
  },
  {
    name: 'hooks-and-skills',
    speeches: { main: [command('echo work'), done('Worked.'), done('Stopped.'), done('Knitted.')] },
    expects: withEvents,
    async play(world) {
      const hook = (text: string): object => ({ hooks: [{ type: 'command', command: text }] });
      const hooks = {
        UserPromptSubmit: [hook('echo "a hook spoke"')],
        PostToolUse: [hook('cat > /dev/null; echo after >&2; exit 2')],
        Stop: [hook('grep -q "\\"stop_hook_active\\":true" || { echo "One more step." >&2; exit 2; }')],
      };
      world.write('home/hooks.json', JSON.stringify({ hooks }));
      world.write('home/skills/knit/SKILL.md', '---\nname: knit\ndescription: How to knit.\n---\nUse needles.\n');
      await world.run('hooks', 'list');
      await world.run('hooks', 'trust');
      const id = threadId(await world.run('exec', '--json', '--context-events', 'Work.'));
      await world.run('hooks', 'untrust');
      await world.run('exec', '--json', 'resume', id, 'Use $knit now.');
    },
  },
  {
    name: 'agents',
    configuration: { tables: '[features]\nmulti_agent = true\n' },
    speeches: {
      main: [
        calls('spawn_agent', { name: 'brew', message: 'TASK brew: two cups of tea' }),
        calls('wait_agent', { targets: ['/root/brew'], until: 'all' }),
        done('The tea is ready.'),
      ],
      brew: [command('echo boiling'), done('Brewed two cups.')],
    },
    expects: withEvents,
    async play(world) {
      await world.run('exec', '--json', 'Make tea.');
      await world.run('threads', 'list', '--source', 'all');
    },
  },
  {
    name: 'failing-provider',
    configuration: { provider: 'request_max_retries = 1\nstream_max_retries = 1\n' },
    speeches: {
      main: [
        httpError({ status: 503, body: { error: { message: 'Down for a while.' } } }),
        failed({ code: 'server_error', message: 'Broken off.' }),
        done('Back again.'),
        httpError({ status: 400, body: { error: { message: 'Never.' } } }),
      ],
    },
    expects: withEvents,
    async play(world) {
      const id = threadId(await world.run('exec', '--json', 'Hello.'));
      await world.run('exec', '--json', 'resume', id, 'And now?');
    },
  },
];
