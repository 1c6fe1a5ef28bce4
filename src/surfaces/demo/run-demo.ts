import { createRequestComparison } from '../../core/replay/compare-requests.ts';
import { rebuildRequests } from '../../core/replay/rebuild-requests.ts';
import { loadReplayParts } from '../../engine/rerun-step.ts';
import { StoredThreads } from '../../engine/store/stored-threads.ts';
import { quoteShellCommand } from '../../protocol/shell.ts';
import { version } from '../../protocol/version.ts';
import { startScriptedModel } from '../../testing/index.ts';
import { loadCommandEngine } from '../views/command-line/command-engine.ts';
import type { CommandArguments } from '../views/command-line/command.ts';
import type { demoCommand } from '../views/command-line/surface-commands.ts';
import {
  demoEnvironment,
  makeDemoFolders,
  removeDemoFolders,
  writeConfig,
  type DemoFolders,
  readProjectFile,
  releaseLog,
  releaseSteps,
} from './demo-folders.ts';
import { DemoPage, playTurn, turnTrouble, unexpectedTrouble } from './play-turn.ts';
import type { DemoParts, DemoTrouble, PlayedTurn } from './play-turn.ts';
import { demoPrompts, scriptedModel } from './scripted-model.ts';
import { existsSync } from 'node:fs';
import { basename, delimiter, join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** A longer run means that something hangs. */
const deadlineMs = 90_000;
const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
const signals = Object.keys(exitCodes) as (keyof typeof exitCodes)[];

/** Exit codes: 0: as described, or no sandbox can be built here; 1: a failure; 2: wrong usage; above 128: a signal. */
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

async function playBugFix(stage: DemoParts): Promise<DemoTrouble | undefined> {
  stage.page.heading('1. Fix a bug');
  const seen = await playTurn(stage, { options: [], words: demoPrompts.fix });
  const trouble = turnTrouble(seen);
  if (trouble !== undefined) return trouble;
  const [failing, , passing] = seen.reports.map(({ end }) => end);
  if (failing === 'exit 0') return unexpectedTrouble('The check should fail before the fix, and it passed.');
  return passing === 'exit 0' ? undefined : unexpectedTrouble('The check should pass after the fix, and it failed.');
}

const watchMs = 1200;

async function playKillAndResume(stage: DemoParts): Promise<DemoTrouble | undefined> {
  const { page, place, signal } = stage;
  page.heading('2. Kill the process while a command runs, then resume');
  const killed = await playTurn(stage, {
    options: ['resume', '--last'],
    words: demoPrompts.release,
    async meanwhile(process) {
      while (readProjectFile(place, releaseLog) === '' && process.isAlive()) await pause(5);
      if (page.isLive) await pause(watchMs, undefined, { signal }).catch(() => undefined);
      process.kill();
    },
  });
  // Leave a gap where the killed process had its status line.
  if (page.isLive) page.gap();
  if (killed.end.signal !== 'SIGKILL')
    return turnTrouble(killed) ?? unexpectedTrouble('The process ended before it could be killed.');
  page.paragraph(`Killed with SIGKILL after the first step. ${releaseLog}: ${logged(stage)}`, 'red');
  page.gap();
  const seen = await playTurn(stage, { options: ['resume', '--last'], words: demoPrompts.finish });
  const trouble = turnTrouble(seen);
  if (trouble !== undefined) return trouble;
  showSent(stage, seen, 'Outcome unknown');
  const steps = logged(stage);
  if (steps !== releaseSteps.map((step) => `${step} 1.0.1`).join(', '))
    return unexpectedTrouble(`Each step should be done once. ${releaseLog}: ${steps}`);
  page.paragraph(`Each step was done once. ${releaseLog}: ${steps}`, 'green');
  return undefined;
}

/** Changes a setting between turns: the model learns of the change, and the sandbox changes with it. */
async function playSettingChange(stage: DemoParts): Promise<DemoTrouble | undefined> {
  stage.page.heading('3. Make the sandbox read-only');
  const source = readProjectFile(stage.place, 'largest.mjs');
  const seen = await playTurn(stage, { options: ['-s', 'read-only', 'resume', '--last'], words: demoPrompts.look });
  const trouble = turnTrouble(seen);
  if (trouble !== undefined) return trouble;
  if (seen.reports[0]?.end === 'exit 0' || readProjectFile(stage.place, 'largest.mjs') !== source)
    return unexpectedTrouble('The sandbox should be read-only, and a command changed a file.');
  showSent(stage, seen, '<permissions');
  return undefined;
}

const mostTold = 180;

/** Shows the engine's additions for the model: as many sentences as fit into three lines. */
function showSent({ page }: DemoParts, { told }: PlayedTurn, start: string): void {
  const text = told.find((each) => each.startsWith(start)) ?? '';
  const words = text.replaceAll(/(?:<[^<>]*>|\s)+/g, ' ').trim();
  const shown = words.length <= mostTold ? words : `${words.slice(0, words.lastIndexOf('. ', mostTold) + 1)} …`;
  if (words !== '') page.paragraph(`Capstan sent the model: "${shown}"`, 'dim');
}

const logged = ({ place }: DemoParts): string => readProjectFile(place, releaseLog).trimEnd().replaceAll('\n', ', ');

/** Compares the requests rebuilt from the thread's file with those that the scripted model received. */
async function playProof({ page, place, model }: DemoParts): Promise<DemoTrouble | undefined> {
  page.heading("4. Rebuild every request from the thread's file");
  const file = await readBodies(place.home);
  if (file === undefined) return unexpectedTrouble('The thread left no file.');
  const bodies = model.requests.map(({ decodedBytes }) => decodedBytes);
  const pairs = bodies.slice(1).map((body, index) => [bodies[index]!, body] as const);
  const bytes = sum(bodies.map(({ length }) => length));
  const rebuilt = bodies.filter((body, index) => file[index]?.equals(body)).length;
  const isWhole = rebuilt === bodies.length;
  const size = `${Math.round(bytes / 1024)} KB`;
  page.paragraph(`${rebuilt} of ${bodies.length} requests rebuilt byte for byte (${size}).`, isWhole ? 'green' : 'red');
  if (!isWhole) return unexpectedTrouble('A request differs from what the file gives back.');
  if (!pairs.every(([before, now]) => extendsInput(before, now)))
    return unexpectedTrouble("A request's input does not extend the one before.");
  const percent = Math.floor((100 * sum(pairs.map(([before, now]) => commonLength(before, now)))) / bytes);
  page.paragraph(`Each request extends the one before, so a provider can cache ${percent}% of the bytes.`, 'green');
  return undefined;
}

/** Rebuilds the thread's requests from its rollout alone. */
async function readBodies(home: string): Promise<readonly Buffer[] | undefined> {
  const stored = StoredThreads.in({ CAPSTAN_HOME: home }, home);
  const chosen = 'code' in stored ? undefined : await stored.choose({ kind: 'last' });
  if ('code' in stored || chosen?.kind !== 'chosen') return undefined;
  const { lines } = await stored.read(chosen.id);
  const { digester, encoderOf } = await loadReplayParts();
  const bodies: Buffer[] = [];
  const verdictOn = createRequestComparison(digester);
  for await (const request of rebuildRequests(lines, encoderOf)) {
    // The record must agree, too: where the received requests were not kept, it is the only evidence.
    const isSame = verdictOn(request).kind === 'same';
    if (request.kind === 'rebuilt' && isSame) bodies.push(Buffer.concat(request.encoded?.body ?? []));
  }
  return bodies;
}

const inputStart = '"input":[';
const inputEnd = '],"stream":';

/** Compares bytes: up to its closing bracket, the earlier input must be a prefix of the later one. */
function extendsInput(before: Buffer, now: Buffer): boolean {
  const [earlier, later] = [inputIn(before), inputIn(now)];
  return earlier.length > 0 && commonLength(earlier, later) === earlier.length;
}

/** The input alone: tools come before it, and change with the policy. */
function inputIn(body: Buffer): Buffer {
  const start = body.indexOf(inputStart);
  return body.subarray(start, start < 0 ? start : body.lastIndexOf(inputEnd));
}

function commonLength(one: Buffer, other: Buffer): number {
  const differs = one.findIndex((byte, at) => byte !== other[at]);
  return differs < 0 ? one.length : differs;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
