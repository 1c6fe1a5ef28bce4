import { answer, callTool, type ScriptStep, say, startScriptedModel } from '../../src/testing/index.ts';
import { SimulatedDisk } from '../../src/testing/simulated-disk.ts';
import { words } from '../../src/protocol/user-input.ts';
import type { Line } from '../../src/protocol/line.ts';
import { isCompaction } from '../compaction/summariser.ts';
import { WatchedThread } from '../harness/watched-thread.ts';
import { firstWorld } from '../harness/world.ts';

/** Text that no terminal may get from a thread, from any writer. */
export const hostile = '\u001B]0;owned\u0007\u001B[2J\u001B[31mred\u202Etxt\u009B3J\r\u0008end';

/** Fixed ids and a fixed clock: the same lines with every run, but for the address of the model. */
export async function toldThread(): Promise<{ readonly lines: readonly Line[]; readonly id: string }> {
  const steps: ScriptStep[] = [
    answer({ items: [callTool('exec_command', { cmd: 'npm test -- --run' })] }),
    answer({ items: [callTool('exec_command', { cmd: 'cat src/mill.ts' })] }),
    answer({ items: [say(`The tests pass. ${hostile}`)] }),
    answer({ items: [say('The mill carries the tens now.')] }),
    answer({ items: [say('Nothing is left.')] }),
  ];
  const model = await startScriptedModel((request) =>
    isCompaction(request) ? answer({ items: [say('The mill carries the tens. RESUME_AT: nothing.')] }) : steps.shift()!,
  );
  const disk = new SimulatedDisk();
  const thread = new WatchedThread(model.url, { home: '/home', files: disk, locks: disk.locks });
  thread.world = { ...firstWorld, instructions: `Use tabs. ${hostile}` };
  thread.outputOf = (script) => `${script}\n${'one line of output \n'.repeat(300)}${hostile}`;
  const turn = async (said: string): Promise<void> => {
    const live = await thread.open();
    await live.run({ input: words(said), signal: new AbortController().signal });
  };
  try {
    await turn(`Run the tests. ${hostile}`);
    await thread.close();
    thread.world = { ...thread.world, effort: 'high', cwd: '/elsewhere' };
    await turn('Now mend the carriage.');
    await (await thread.open()).compact({ signal: new AbortController().signal });
    await turn('What is left?');
    return { lines: await thread.lines(), id: thread.id! };
  } finally {
    await thread.close();
    await model.close();
  }
}
