import { homedir } from 'node:os';
import type { Outcome } from '../../protocol/outcome.ts';
import { version } from '../../protocol/version.ts';
import { currentFolder } from '../terminal/current-folder.ts';
import { Engine } from '../engine/engine.ts';
import { commandLineOverrides } from './command-overrides.ts';

export interface CommandEngine {
  readonly engine: Engine;
  /** Where the command was started. */
  readonly cwd: string;
}

/** The engine for commands that run no turn. */
export async function loadCommandEngine(
  config: readonly string[] = [],
  choices: { readonly profile?: string; readonly sandboxFallback?: 'landlock' } = {},
): Promise<CommandEngine | Outcome> {
  const here = currentFolder();
  if ('code' in here) return here;
  const client = { name: 'capstan', version, source: 'cli' };
  const options = {
    env: process.env,
    osHome: homedir(),
    cwd: here.path,
    client,
    config: commandLineOverrides(config),
    ...choices,
  };
  const engine = await Engine.load(options);
  return engine.kind === 'refused' ? engine.outcome : { engine, cwd: here.path };
}
