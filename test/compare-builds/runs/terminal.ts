import { checkpointText } from '../../compaction/summariser.ts';
import { answer, say } from '../../../src/testing/index.ts';
import { command, done } from '../model.ts';
import { type Run, threadId } from '../run.ts';
import { keys, Terminal } from '../terminal.ts';

const tables = '[tui]\nanimations = false\n[notice]\nscreen_reader_detection_done = true\n';
const configuration = { top: 'approval_policy = "on-request"\n', tables };
const expects = ['request', 'file', 'screen'] as const;
const ready = /Context 100% left/;
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
      await terminal.keep('the start', ready);
      await terminal.tell('Touch the file.');
      await terminal.keep('the question', /yes, once/);
      await terminal.answer('y', /yes, once/);
      await terminal.keep('the answer', /Worked for/);
      await terminal.end();
    },
  },
];
