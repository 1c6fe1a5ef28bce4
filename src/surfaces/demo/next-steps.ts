import { homedir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { loadCommandEngine } from '../commands/command-engine.ts';
import { StoredThreads } from '../engine/stored-threads.ts';
import type { Page } from './page.ts';
import { shellWords } from '../../protocol/shell-words.ts';

/** What it takes to continue with a real model. */
export async function showNextSteps(page: Page): Promise<void> {
  page.heading('5. With a real model');
  const stored = StoredThreads.in(process.env, homedir());
  if ('code' in stored) return page.paragraph(`${stored.message}. ${stored.next}`, 'bad');
  const command = ownCommand();
  const run = `${command} exec -C /path/to/your/project "what to do"`;
  const loaded = await loadCommandEngine();
  if ('engine' in loaded && loaded.engine.isSetUp) {
    page.paragraph(`${join(stored.home, 'config.toml')} says already whom to ask:`);
    return page.copy([run]);
  }
  page.paragraph('With a key of OpenAI:');
  page.copy(['export OPENAI_API_KEY=...', run]);
  page.paragraph('With Ollama or LM Studio on this machine, without a key:');
  page.copy([`${command} exec --oss -C /path/to/your/project "what to do"`]);
}

/** How the person started this program. */
function ownCommand(): string {
  if (process.env['npm_lifecycle_event'] === 'start') return 'npm start --';
  const program = process.argv[1] ?? 'capstan';
  return basename(program) === 'capstan' ? 'capstan' : shellWords(['node', relative(process.cwd(), program)]);
}
