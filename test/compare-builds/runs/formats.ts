import { answer, callTool, reason, say } from '../../../src/testing/index.ts';
import { done } from '../model.ts';
import { type Run, threadId } from '../run.ts';

interface Format {
  readonly name: string;
  readonly provider: string;
}

/** Every wire format that the program speaks to a provider. */
const formats: readonly Format[] = [
  { name: 'responses', provider: 'wire_api = "responses"\n' },
  { name: 'sockets', provider: 'wire_api = "responses"\nsupports_websockets = true\n' },
  { name: 'chat', provider: 'wire_api = "chat"\n' },
  { name: 'anthropic', provider: 'wire_api = "anthropic"\n' },
];

export const formatRuns: readonly Run[] = formats.map(({ name, provider }) => ({
  name: `format-${name}`,
  configuration: { provider },
  speeches: {
    main: [
      answer({ items: [reason('Hm.'), say('I look.'), callTool('exec_command', { cmd: 'echo one' })] }),
      // Outputs of calls that run at once enter history as they end: two commands would race.
      answer({
        items: [
          callTool('update_plan', { plan: [{ step: 'Count', status: 'in_progress' }] }),
          callTool('exec_command', { cmd: 'echo two' }),
        ],
      }),
      answer({ items: [say('One, two, three.')], deltas: true }),
      done('Four.'),
    ],
  },
  expects: ['request', 'file', 'event'],
  async play(world) {
    const id = threadId(await world.run('exec', '--json', 'Count.'));
    await world.run('exec', '--json', 'resume', id, 'Go on.');
    await world.run('replay', id, '--json');
  },
}));
