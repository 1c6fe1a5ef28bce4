import { existsSync } from 'node:fs';
import { basename, delimiter, join, relative } from 'node:path';
import { loadCommandEngine } from '../commands/command-engine.ts';
import type { Page } from './page.ts';
import { shellWords } from '../../protocol/shell-words.ts';

/** What it takes to continue with a real model. */
export async function showNextSteps(page: Page): Promise<void> {
  page.heading('Next: use a real model');
  const fromClone = process.env['npm_lifecycle_event'] === 'start';
  if (fromClone && !isInstalled()) {
    page.paragraph('Install the command, from this folder:');
    page.command('npm install -g --loglevel=error .');
  }
  const command = fromClone ? 'capstan' : ownCommand();
  const loaded = await loadCommandEngine();
  // If the demo needed Landlock, a task needs the user's agreement to it.
  const offersLandlock = 'engine' in loaded && (await loaded.engine.offersLandlock(process.cwd()));
  const exec = `${command} exec${offersLandlock ? ' --sandbox-fallback landlock' : ''}`;
  if ('engine' in loaded && loaded.engine.config.isSetUp) {
    page.paragraph('Your configuration names a model already. Run a task in a project of yours:');
    return page.command(`${exec} -s workspace-write -C path/to/project "what to do"`);
  }
  page.paragraph('With an OpenAI key:');
  page.command('export OPENAI_API_KEY=...');
  page.command(`${exec} -s workspace-write -C path/to/project "what to do"`);
  page.paragraph('With Ollama or LM Studio on this machine, without a key:');
  page.command(`${exec} --oss -s workspace-write -C path/to/project "what to do"`);
}

/** Whether the shell finds the command: then nothing needs to be installed. */
function isInstalled(): boolean {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.some((folder) => folder !== '' && existsSync(join(folder, 'capstan')));
}

/** How the user started this program. */
function ownCommand(): string {
  const program = process.argv[1] ?? 'capstan';
  return basename(program) === 'capstan' ? 'capstan' : shellWords(['node', relative(process.cwd(), program)]);
}
