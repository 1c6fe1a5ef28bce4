import { quoteShellCommand } from '../../protocol/shell.ts';
import { version } from '../../protocol/version.ts';
import { startScriptedModel } from '../../testing/index.ts';
import { loadCommandEngine } from '../views/command-line/command-engine.ts';
import type { CommandArguments } from '../views/command-line/command.ts';
import type { demoCommand } from '../views/command-line/surface-commands.ts';
import { demoEnvironment, type DemoFolders, makeDemoFolders, removeDemoFolders, writeConfig } from './demo-folders.ts';
import { DemoPage, type DemoParts, type DemoTrouble } from './play-turn.ts';
import { scriptedModel } from './scripted-model.ts';
import { playSettingChange, playBugFix, playKillAndResume, playProof } from './story.ts';
import { existsSync } from 'node:fs';
import { basename, delimiter, join, relative } from 'node:path';

/** A longer run means that something hangs. */
const deadlineMs = 90_000;
const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
const signals = Object.keys(exitCodes) as (keyof typeof exitCodes)[];

/**
 * Exit codes: 0: everything went as described, or no sandbox can be built here and commands were refused; 1: something
 * did not; 2: wrong usage; above 128: a signal ended it.
 */
export async function run({ options }: CommandArguments<typeof demoCommand>): Promise<number> {
  const stop = new AbortController();
  let code: number | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    code ??= exitCodes[signal as keyof typeof exitCodes];
    stop.abort();
  };
  for (const signal of signals) process.on(signal, onSignal);
  // A reader that has left, as in `| head`, ends the demo like an interruption. The listener stays: late writes fail,
  // too.
  process.stdout.on('error', () => stop.abort());
  try {
    const page = new DemoPage(process.stdout, process.env);
    const trouble = await play(page, options.keep, AbortSignal.any([stop.signal, AbortSignal.timeout(deadlineMs)]));
    if (stop.signal.aborted) {
      page.paragraph('Interrupted.');
      return code ?? 1;
    }
    if (trouble === undefined) return 0;
    page.heading('The demo stopped.');
    page.paragraph(trouble.message, 'red');
    page.paragraph(trouble.next);
    return 1;
  } finally {
    for (const signal of signals) process.off(signal, onSignal);
  }
}

const watchedPace = { firstByteDelayMs: 300, delayMs: 15 };

async function play(page: DemoPage, keep: boolean, signal: AbortSignal): Promise<DemoTrouble | undefined> {
  const place = tryPlace();
  if ('code' in place) return place;
  const model = await startScriptedModel(scriptedModel(page.isLive ? watchedPace : {}));
  try {
    writeConfig(place, model.url);
    page.heading(`Capstan ${version} demo`);
    page.paragraph(
      'A script plays the model, so this needs no key and no network. Everything else is real: the processes, the ' +
        'sandbox, the files. Lines with ">" are commands that you could type yourself.',
    );
    const stage: DemoParts = { page, place, model, env: demoEnvironment(place, process.env), signal };
    let refused: DemoTrouble | undefined;
    for (const chapter of [playBugFix, playKillAndResume, playSettingChange, playProof]) {
      const trouble = await chapter(stage);
      // A machine without a sandbox is no failure of the demo: its refusals are part of what it shows.
      if (trouble?.code === 'demo-no-sandbox') refused ??= trouble;
      else if (trouble !== undefined) return trouble;
    }
    if (refused !== undefined) showRefused(page, refused);
    if (keep) showKept(page, place);
    await showNextSteps(page);
    return undefined;
  } finally {
    await model.close();
    const left = keep ? undefined : await removeDemoFolders(place);
    if (left !== undefined) page.paragraph(`The demo could not remove ${left}. Remove it yourself.`, 'red');
  }
}

function tryPlace(): DemoFolders | DemoTrouble {
  try {
    return makeDemoFolders(process.env);
  } catch (error) {
    const message = `The demo cannot write its files: ${(error as Error).message}`;
    return { code: 'demo-no-place', message, next: 'Set HOME or TMPDIR to a folder that you may write to.' };
  }
}

function showRefused(page: DemoPage, { message, next }: DemoTrouble): void {
  page.heading('Every command was refused');
  page.paragraph('No sandbox can be built here, and Capstan runs no command that its policy does not hold.');
  page.paragraph(message, 'red');
  page.paragraph(next);
}

function showKept(page: DemoPage, { home, project }: DemoFolders): void {
  page.heading('Look around');
  page.paragraph('The files of this demo stay until the next one. For instance:');
  page.command(`cd ${quoteShellCommand([project])}`);
  page.command(`export CAPSTAN_HOME=${quoteShellCommand([home])}`);
  for (const words of ['context --last', 'threads show --last', 'replay --last']) page.command(`capstan ${words}`);
}

async function showNextSteps(page: DemoPage): Promise<void> {
  page.heading('Next: use a real model');
  const fromClone = process.env['npm_lifecycle_event'] === 'start';
  if (fromClone && !isInstalled()) {
    page.paragraph('Install the command, from this folder:');
    page.command('npm install -g --loglevel=error .');
  }
  const command = fromClone ? 'capstan' : ownCommand();
  const loaded = await loadCommandEngine();
  // If the demo needed Landlock, a real task needs the user's agreement to it.
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

function isInstalled(): boolean {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.some((folder) => folder !== '' && existsSync(join(folder, 'capstan')));
}

function ownCommand(): string {
  const program = process.argv[1] ?? 'capstan';
  return basename(program) === 'capstan' ? 'capstan' : quoteShellCommand(['node', relative(process.cwd(), program)]);
}
