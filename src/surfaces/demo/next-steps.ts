import { homedir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { findHome } from '../../gather/home.ts';
import { version } from '../../protocol/version.ts';
import { Engine } from '../engine/engine.ts';
import type { Environment } from '../environment.ts';
import { shellWords } from '../exec/events.ts';
import type { Page } from './page.ts';

/** What it takes to go on with a real model. */
export async function showNextSteps(page: Page, env: Environment): Promise<void> {
  page.heading('5. With a real model');
  const home = findHome(env, homedir());
  if ('code' in home) return page.paragraph(`${home.message}. ${home.next}`, 'bad');
  const file = join(home.path, 'config.toml');
  const run = `${ownCommand(env)} exec -C /path/to/your/project "what to do"`;
  if (await hasModel(env)) {
    page.paragraph(`${file} names a model already:`);
    return page.copy([run]);
  }
  page.paragraph(`Put this at the top of ${file}:`);
  page.copy([
    'model = "gpt-5.5"',
    'model_provider = "openai"  # or "ollama", "lmstudio": on this machine, without a key',
  ]);
  page.paragraph('Then:');
  page.copy(['export OPENAI_API_KEY=...', run]);
}

/** A second model in the same file would be an error, so nobody who has one is told to add it. */
async function hasModel(env: Environment): Promise<boolean> {
  const client = { name: 'capstan', version, source: 'cli' };
  const engine = await Engine.load({ env, osHome: homedir(), cwd: process.cwd(), client, overrides: [] });
  return engine.kind === 'engine' && engine.hasModel;
}

/** How the person started this program. */
function ownCommand(env: Environment): string {
  if (env['npm_lifecycle_event'] === 'start') return 'npm start --';
  const program = process.argv[1] ?? 'capstan';
  return basename(program) === 'capstan' ? 'capstan' : shellWords(['node', relative(process.cwd(), program)]);
}
