import { homedir } from 'node:os';
import type { ThreadId } from '../../protocol/ids.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { version } from '../../protocol/version.ts';
import type { CommandForm, ParsedWords } from '../command-words.ts';
import { currentFolder } from '../current-folder.ts';
import { Engine } from '../engine.ts';
import { threadNamed } from '../run-command.ts';

export interface MeantThread {
  readonly kind: 'meant';
  readonly engine: Engine;
  readonly id: ThreadId;
}

/** The thread that a command's words name, and the engine to work with it. */
export async function meantThread(form: CommandForm, asked: ParsedWords): Promise<MeantThread | Outcome> {
  const named = threadNamed(form, asked);
  if ('code' in named) return named;
  const here = currentFolder();
  if ('code' in here) return here;
  const client = { name: 'capstan', version, source: 'cli' };
  const engine = await Engine.load({ env: process.env, osHome: homedir(), cwd: here.path, client, overrides: [] });
  if (engine.kind === 'refused') return engine.outcome;
  const { name } = named;
  const chosen = await engine.choose(name === undefined ? { kind: 'last', cwd: here.path } : { kind: 'named', name });
  return chosen.kind === 'none' ? chosen : { kind: 'meant', engine, id: chosen.id };
}
