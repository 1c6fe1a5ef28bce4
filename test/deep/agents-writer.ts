import { homedir } from 'node:os';
import { keepCompiled } from '../harness/compiled-once.ts';

/** A process that runs turns of a thread with agents: so many, or until it is killed. `library`: the path of Capstan's. */
const [, , library, home, workspace, id = 'new', turns = 'Infinity'] = process.argv;
const { Engine, liveThreads, parseThreadId, words } = (await import(library!)) as typeof import('../../src/index.ts');
keepCompiled();
const engine = await Engine.load({
  env: { PATH: process.env['PATH'], CAPSTAN_HOME: home },
  osHome: homedir(),
  cwd: workspace!,
  client: { name: 'test', version: '0', source: 'exec' },
  config: [],
  systemFolders: [],
});
if (engine.kind === 'refused') throw new Error(engine.outcome.message);
const threads = liveThreads(engine);
const root = await (id === 'new'
  ? threads.start({ cwd: workspace!, unattended: true })
  : threads.load(parseThreadId(id)!, { unattended: true }));
if (root.kind === 'refused') throw new Error(root.outcome.message);
process.stdout.write(`${root.id}\n`);
for (let turn = 0; turn < Number(turns); turn++) {
  const end = await root.submit({ input: words(`Turn ${turn} of process ${process.pid}`) });
  process.stdout.write(`${end.kind}\n`);
}
await engine.close();
