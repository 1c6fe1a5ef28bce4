import { createHash } from 'node:crypto';
import { parseThreadId } from '../../src/protocol/ids.ts';
import { systemClock } from '../../src/adapters/gather/clock-and-ids.ts';
import { systemPrograms } from '../../src/adapters/exec/find-programs.ts';
import { createFlock } from '../../src/adapters/rollout/files/file-locks.ts';
import { nodeFiles } from '../../src/adapters/rollout/files/node-files.ts';
import { words } from '../../src/protocol/user-input.ts';
import { keepCompiled } from '../harness/compiled-once.ts';
import { WatchedThread } from '../harness/watched-thread.ts';
import { firstWorld } from '../harness/world.ts';

/** A process that runs turns until it is killed, compacts their history if asked to, and prints what it has acknowledged. */
keepCompiled();
const [, , home, url, id = 'new', how] = process.argv;
const disk = { home: home!, files: nodeFiles, locks: createFlock({ clock: systemClock, programs: systemPrograms }) };
const thread = new WatchedThread(url!, disk, id === 'new' ? undefined : parseThreadId(id));
thread.idStart = process.pid;

thread.onAcknowledged = ({ lines, state }) => {
  const digest = createHash('sha256').update(state).digest('hex');
  process.stdout.write(`${JSON.stringify({ id: thread.id, lines, digest })}\n`);
};

for (let turn = 0; ; turn++) {
  thread.world = {
    ...firstWorld,
    cwd: turn % 2 === 0 ? '/repo' : '/repo/sub',
    effort: turn % 3 === 0 ? 'low' : 'high',
  };
  const live = await thread.open();
  const signal = new AbortController().signal;
  // Inside the turn, while a command runs, or after it.
  const compact = (): Promise<unknown> => live.compact({ signal });
  thread.onCommand = () => {
    if (how === 'compacts' && turn % 2 === 0) void compact();
  };
  await live.run({ input: words(`turn ${turn} of process ${process.pid}`), signal });
  if (how === 'compacts') await compact();
  if (turn % 4 === 3) await thread.close();
}
