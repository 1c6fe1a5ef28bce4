import { version } from '../../protocol/version.ts';
import { startScriptedModel } from '../../testing/index.ts';
import { showNextSteps } from './next-steps.ts';
import { Page } from './page.ts';
import { makePlace, type DemoFolders, placeEnvironment, shortened, writeConfig } from './place.ts';
import type { Stage } from './play-turn.ts';
import { answerTo } from './scripted-answers.ts';
import { showProof } from './show-proof.ts';
import { changeSetting, fixInSandbox, killAndResume } from './story.ts';
import type { Trouble } from './trouble.ts';

/** Longer than this and something hangs. */
const deadlineMs = 90_000;
const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
const signals = Object.keys(exitCodes) as (keyof typeof exitCodes)[];

/**
 * `capstan demo`. 0: everything went as described; 1: something did not; 2: wrong usage; above 128: a signal ended it.
 */
export async function run(): Promise<number> {
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
    const trouble = await play(page, AbortSignal.any([stop.signal, AbortSignal.timeout(deadlineMs)]));
    if (stop.signal.aborted) {
      page.paragraph('Interrupted.');
      return code ?? 1;
    }
    if (trouble === undefined) return 0;
    page.heading('The demo ends here.');
    page.paragraph(trouble.message, 'bad');
    page.paragraph(trouble.next);
    return 1;
  } finally {
    for (const signal of signals) process.off(signal, onSignal);
  }
}

async function play(page: Page, signal: AbortSignal): Promise<Trouble | undefined> {
  const place = tryPlace();
  if ('code' in place) return place;
  const model = await startScriptedModel(answerTo);
  try {
    writeConfig(place, model.url);
    introduce(page, place);
    const stage: Stage = { page, place, model, env: placeEnvironment(place, process.env), signal };
    const first = await fixInSandbox(stage);
    if ('code' in first) return first;
    for (const chapter of [killAndResume, changeSetting, showProof]) {
      const trouble = await chapter(stage, first.threadId);
      if (trouble !== undefined) return trouble;
    }
    await showNextSteps(page);
    return undefined;
  } finally {
    await model.close();
  }
}

function tryPlace(): DemoFolders | Trouble {
  try {
    return makePlace(process.env);
  } catch (error) {
    const message = `There is no place for the demo's files: ${(error as Error).message}`;
    return { code: 'demo-no-place', message, next: 'Let HOME or TMPDIR name a folder that you may write to.' };
  }
}

function introduce(page: Page, place: DemoFolders): void {
  page.heading(`capstan ${version}: a demo`);
  page.paragraph(
    'A script stands in for the model, so this needs no key and no network. The rest is real: each "$" starts the ' +
      `engine as a process of its own, which works in ${place.project} (${shortened(place, place.project)} below). ` +
      '"told" is what the engine adds to the requests to the model, "runs" what the model runs in the sandbox, "says" ' +
      'what it answers.',
  );
}
