import { checkpointText } from '../../compaction/summariser.ts';
import { answer, say } from '../../../src/testing/index.ts';
import { command, done } from '../model.ts';
import { type Run, threadId } from '../run.ts';
import { keys, Terminal } from '../terminal.ts';

const tables = '[tui]\nanimations = false\n[notice]\nscreen_reader_detection_done = true\n';
const configuration = { top: 'approval_policy = "on-request"\n', tables };
const expects = ['request', 'file', 'screen'] as const;
const ready = /gpt-5\.5 · .*\/workspace · main/;
const planQuestion = /Implement this plan\?|1\. /;
const pages = [
  ['/help', /q closes/],
  ['/context', /q closes|esc back|Esc /],
  ['/changes', /q closes|esc back|Esc /],
  ['/envelope', /q closes|esc back|Esc /],
  ['/permissions', /q closes|esc back|Esc /],
  ['/model', /q closes|esc back|Esc /],
  ['/debug-config', /q closes|esc back|Esc /],
] as const;
const task = 'Build the parser.';

export const terminalRuns: readonly Run[] = [
  {
    name: 'terminal-question',
    configuration,
    expects,
    speeches: {
      main: [
        command('echo inside; ls'),
        command('touch ../outside/file', { sandbox_permissions: 'require_escalated', justification: 'May I?' }),
        answer({ items: [say('# Done\n\nThe file is *there*:\n\n- one\n- two')], deltas: true }),
      ],
    },
    async play(world) {
      world.write('workspace/notes.txt', 'one\n');
      const terminal = new Terminal(world);
      await terminal.keep('the start', /Tip: /);
      await terminal.tell('Touch the file.');
      await terminal.keep('the question', /Enter confirms/);
      await terminal.answer('y', /yes, once/);
      await terminal.keep('the answer', /Worked for/);
      await terminal.end();
    },
  },
  {
    name: 'terminal-pages',
    configuration,
    expects,
    speeches: { main: [command('echo seen'), done('Seen.')] },
    async play(world) {
      const terminal = new Terminal(world);
      await terminal.sees(ready);
      await terminal.tell('Look.');
      await terminal.sees(/Worked for/);
      await terminal.type('/');
      await terminal.keep('the list of commands', /choose the model and its effort/);
      for (const [page, sign] of pages) {
        await terminal.type(page.slice(page === '/help' ? 1 : 0));
        terminal.press(keys.enter);
        await terminal.keep(page, sign);
        terminal.press(keys.escape);
        await terminal.keep(`after ${page}`, /Ask Capstan to do anything/);
      }
      await terminal.tell('/status');
      await terminal.keep('the status', /Cost +unknown/);
      await terminal.end();
    },
  },
  {
    name: 'terminal-resume',
    configuration,
    expects,
    speeches: { main: [done('First.'), done('Other.'), done('Second.')] },
    async play(world) {
      threadId(await world.run('exec', '--json', 'Begin.'));
      threadId(await world.run('exec', '--json', 'Another beginning.'));
      const terminal = new Terminal(world);
      await terminal.sees(ready);
      await terminal.tell('/resume');
      await terminal.keep('the picker', /Another beginning\.[^]*Begin\./);
      terminal.press(keys.down);
      await terminal.keep('the second row', /› Begin\./);
      terminal.press(keys.enter);
      await terminal.keep('the resumed conversation', /• First\./);
      await terminal.tell('Go on.');
      await terminal.keep('the answer', /• Second\.[^]*Worked for/);
      await terminal.end();
    },
  },
  {
    name: 'terminal-compaction',
    configuration,
    expects,
    speeches: {
      main: [
        answer({ items: [say('word '.repeat(4000))] }),
        answer({ items: [say(checkpointText(task, [task]))] }),
        done('Onwards.'),
      ],
    },
    async play(world) {
      const terminal = new Terminal(world);
      await terminal.sees(ready);
      await terminal.tell(task);
      await terminal.sees(/Worked for/);
      await terminal.tell('/compact');
      await terminal.keep('the checkpoint', /Checkpoint 1/);
      await terminal.tell('/checkpoint');
      await terminal.keep('the page about it', /Checkpoint 1/);
      terminal.press(keys.escape);
      await terminal.sees(/Ask Capstan to do anything/);
      await terminal.tell('Go on.');
      await terminal.keep('the answer', /• Onwards\.[^]*Worked for/);
      await terminal.end();
    },
  },
  {
    name: 'terminal-plan-mode',
    configuration,
    expects,
    speeches: {
      main: [
        answer({ items: [say('Here it is.\n\n<proposed_plan>\n# Build it\n\n- first\n- second\n</proposed_plan>')] }),
        done('Built.'),
      ],
    },
    async play(world) {
      const terminal = new Terminal(world);
      await terminal.sees(ready);
      terminal.press(keys.shiftTab);
      await terminal.keep('plan mode', /Plan/);
      await terminal.tell('Plan it.');
      await terminal.keep('the plan', planQuestion);
      await terminal.answer('1', planQuestion);
      await terminal.keep('the work', /• Built\.[^]*Worked for/);
      await terminal.tell('/model gpt-5.4 high');
      await terminal.keep('another model', /The next turn uses gpt-5\.4/);
      await terminal.end();
    },
  },
];
