import { createComparison } from '../../core/replay/compare-requests.ts';
import { rebuildRequests } from '../../core/replay/rebuild-requests.ts';
import { loadReplayParts } from '../../engine/rerun-step.ts';
import { StoredThreads } from '../../engine/store/stored-threads.ts';
import { readProjectFile, releaseLog, releaseSteps } from './demo-folders.ts';
import {
  type DemoParts,
  playTurn,
  type DemoTrouble,
  type PlayedTurn,
  turnTrouble,
  unexpectedTrouble,
} from './play-turn.ts';
import { demoPrompts } from './scripted-model.ts';
import { setTimeout as pause } from 'node:timers/promises';

export async function playBugFix(stage: DemoParts): Promise<DemoTrouble | undefined> {
  stage.page.heading('1. Fix a bug');
  const seen = await playTurn(stage, { options: [], words: demoPrompts.fix });
  const trouble = turnTrouble(seen);
  if (trouble !== undefined) return trouble;
  const [failing, , passing] = seen.reports.map(({ end }) => end);
  if (failing === 'exit 0') return unexpectedTrouble('The check should fail before the fix, and it passed.');
  return passing === 'exit 0' ? undefined : unexpectedTrouble('The check should pass after the fix, and it failed.');
}

const watchMs = 1200;

export async function playKillAndResume(stage: DemoParts): Promise<DemoTrouble | undefined> {
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
export async function playSettingChange(stage: DemoParts): Promise<DemoTrouble | undefined> {
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
export async function playProof({ page, place, model }: DemoParts): Promise<DemoTrouble | undefined> {
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
  const verdictOn = createComparison(digester);
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
