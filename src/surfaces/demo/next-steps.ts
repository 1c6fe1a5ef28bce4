import { homedir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { version } from '../../protocol/version.ts';
import { Engine } from '../engine/engine.ts';
import { StoredThreads } from '../engine/stored-threads.ts';
import type { Variables } from '../../protocol/variables.ts';
import type { Page } from './page.ts';
import { shellWords } from '../../protocol/shell-words.ts';

/** What it takes to continue with a real model. */
export async function showNextSteps(page: Page, env: Variables): Promise<void> {
  page.heading('5. With a real model');
  const stored = StoredThreads.in(env, homedir());
  if ('code' in stored) return page.paragraph(`${stored.message}. ${stored.next}`, 'bad');
  const command = ownCommand(env);
  const run = `${command} exec -C /path/to/your/project "what to do"`;
  if (await isSetUp(env)) {
    page.paragraph(`${join(stored.home, 'config.toml')} says already whom to ask:`);
    return page.copy([run]);
  }
  page.paragraph('With a key of OpenAI:');
  page.copy(['export OPENAI_API_KEY=...', run]);
  page.paragraph('With Ollama or LM Studio on this machine, without a key:');
  page.copy([`${command} exec --oss -C /path/to/your/project "what to do"`]);
}

async function isSetUp(env: Variables): Promise<boolean> {
  const client = { name: 'capstan', version, source: 'cli' };
  const engine = await Engine.load({ env, osHome: homedir(), cwd: process.cwd(), client });
  return engine.kind === 'engine' && engine.isSetUp;
}

/** How the person started this program. */
function ownCommand(env: Variables): string {
  if (env['npm_lifecycle_event'] === 'start') return 'npm start --';
  const program = process.argv[1] ?? 'capstan';
  return basename(program) === 'capstan' ? 'capstan' : shellWords(['node', relative(process.cwd(), program)]);
}
