import { Engine, liveThreads, words } from '../../src/index.ts';
import { keepCompiled } from '../harness/compiled-once.ts';

/** A process that follows a turn whose answer never ends, and prints what it gets until it is killed. */
keepCompiled();
const [, , home = '', cwd = ''] = process.argv;
const engine = await Engine.load({
  env: { PATH: process.env['PATH'], CAPSTAN_HOME: home },
  osHome: home,
  cwd,
  client: { name: 'test', version: '0', source: 'exec' },
  systemFolders: [],
});
if (engine.kind === 'refused') throw new Error(engine.outcome.message);
const thread = await liveThreads(engine).start({ cwd });
if (thread.kind === 'refused') throw new Error(thread.outcome.message);
void thread.submit({ input: words('speak') });
for await (const news of thread.follow()) process.stdout.write(`${JSON.stringify({ id: thread.id, ...news })}\n`);
