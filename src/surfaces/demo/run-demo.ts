import { shellWords } from '../../protocol/shell-words.ts';
import { version } from '../../protocol/version.ts';
import { startScriptedModel } from '../../testing/index.ts';
import type { CommandArguments } from '../commands/command.ts';
import type { demoCommand } from '../commands/other-commands.ts';
import { showNextSteps } from './next-steps.ts';
import { Page } from './page.ts';
import { type DemoFolders, makePlace, placeEnvironment, removePlace, writeConfig } from './place.ts';
import type { Stage } from './play-turn.ts';
import { scriptedModel } from './scripted-answers.ts';
import { showProof } from './show-proof.ts';
import { changeSetting, fixBug, killAndResume } from './story.ts';
import type { Trouble } from './trouble.ts';

/** Longer than this and something hangs. */
const deadlineMs = 90_000;
const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
const signals = Object.keys(exitCodes) as (keyof typeof exitCodes)[];

/**
 * `capstan demo`. 0: everything went as described, or no sandbox can be built here and commands were refused; 1: something
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
  // A reader that has left, as in `| head`, ends the demo like an interruption. It stays: late writes fail, too.
  process.stdout.on('error', () => stop.abort());
  try {
    const page = new Page(process.stdout, process.env);
    const trouble = await play(page, {
      keep: options.keep,
      signal: AbortSignal.any([stop.signal, AbortSignal.timeout(deadlineMs)]),
    });
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

interface PlayOptions {
  readonly keep: boolean;
  readonly signal: AbortSignal;
}

/** A reader that watches sees answers arrive. */
const watchedPace = { firstByteDelayMs: 300, delayMs: 15 };

async function play(page: Page, { keep, signal }: PlayOptions): Promise<Trouble | undefined> {
  const place = tryPlace();
  if ('code' in place) return place;
  const model = await startScriptedModel(scriptedModel(page.isLive ? watchedPace : {}));
  try {
    writeConfig(place, model.url);
    introduce(page);
    const stage: Stage = { page, place, model, env: placeEnvironment(place, process.env), signal };
    let refused: Trouble | undefined;
    for (const chapter of [fixBug, killAndResume, changeSetting, showProof]) {
      const trouble = await chapter(stage);
      // A machine without a sandbox is no fault of the demo: what it refuses to run is part of what it shows.
      if (trouble?.code === 'demo-no-sandbox') refused ??= trouble;
      else if (trouble !== undefined) return trouble;
    }
    if (refused !== undefined) showRefused(page, refused);
    if (keep) showKept(page, place);
    await showNextSteps(page);
    return undefined;
  } finally {
    await model.close();
    const left = keep ? undefined : await removePlace(place);
    if (left !== undefined) page.paragraph(`The demo could not remove ${left}. Remove it yourself.`, 'red');
  }
}

function tryPlace(): DemoFolders | Trouble {
  try {
    return makePlace(process.env);
  } catch (error) {
    const message = `The demo cannot write its files: ${(error as Error).message}`;
    return { code: 'demo-no-place', message, next: 'Set HOME or TMPDIR to a folder that you may write to.' };
  }
}

function introduce(page: Page): void {
  page.heading(`Capstan ${version} demo`);
  page.paragraph(
    'A script plays the model, so this needs no key and no network. Everything else is real: the processes, the ' +
      'sandbox, the files. Lines with ">" are commands that you could type yourself.',
  );
}

function showRefused(page: Page, { message, next }: Trouble): void {
  page.heading('Every command was refused');
  page.paragraph('No sandbox can be built here, and Capstan runs no command that its policy does not hold.');
  page.paragraph(message, 'red');
  page.paragraph(next);
}

function showKept(page: Page, { home, project }: DemoFolders): void {
  page.heading('Look around');
  page.paragraph('The files of this demo stay until the next one. For instance:');
  page.command(`cd ${shellWords([project])}`);
  page.command(`export CAPSTAN_HOME=${shellWords([home])}`);
  for (const words of ['context --last', 'threads show --last', 'replay --last']) page.command(`capstan ${words}`);
}
