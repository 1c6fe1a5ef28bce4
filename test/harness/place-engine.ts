import { Engine, type EngineOptions } from '../../src/index.ts';

/** The engine of a process that a user of the place started in its workspace. */
export async function placeEngine(
  { home, root, workspace }: { readonly home: string; readonly root: string; readonly workspace: string },
  options: Partial<EngineOptions> = {},
): Promise<Engine> {
  const engine = await Engine.load({
    env: { PATH: process.env['PATH'], CAPSTAN_HOME: home },
    osHome: root,
    cwd: workspace,
    client: { name: 'test', version: '0', source: 'exec' },
    config: [],
    systemFolders: [],
    ...options,
  });
  if (engine.kind === 'refused') throw new Error(engine.outcome.message);
  return engine;
}
