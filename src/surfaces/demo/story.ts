import { setTimeout as pause } from 'node:timers/promises';
import { projectText } from './place.ts';
import { playTurn, type Stage, type TurnSeen } from './play-turn.ts';
import { releaseLog, releaseSteps } from './project.ts';
import { demoWords } from './scripted-answers.ts';
import { type Trouble, turnTrouble, unexpectedTrouble } from './trouble.ts';

/** A failing check, a patch, and a passing check. */
export async function fixBug(stage: Stage): Promise<Trouble | undefined> {
  stage.page.heading('1. Fix a bug');
  const seen = await playTurn(stage, { options: [], words: demoWords.fix });
  const trouble = turnTrouble(seen);
  if (trouble !== undefined) return trouble;
  const [failing, , passing] = seen.reports.map(({ end }) => end);
  if (failing === 'exit 0') return unexpectedTrouble('The check should fail before the fix, and it passed.');
  return passing === 'exit 0' ? undefined : unexpectedTrouble('The check should pass after the fix, and it failed.');
}

/** How long a reader sees the command run before it is killed. */
const watchMs = 1200;

/** The process is killed while a command runs, and another one resumes. */
export async function killAndResume(stage: Stage): Promise<Trouble | undefined> {
  const { page, place, signal } = stage;
  page.heading('2. Kill the process while a command runs, then resume');
  const killed = await playTurn(stage, {
    options: ['resume', '--last'],
    words: demoWords.release,
    async meanwhile(process) {
      while (projectText(place, releaseLog) === '' && process.isAlive()) await pause(5);
      if (page.isLive) await pause(watchMs, undefined, { signal }).catch(() => undefined);
      process.kill();
    },
  });
  // Where its status line stood.
  if (page.isLive) page.gap();
  if (killed.end.signal !== 'SIGKILL') {
    return turnTrouble(killed) ?? unexpectedTrouble('The process ended before it could be killed.');
  }
  page.paragraph(`Killed with SIGKILL after the first step. ${releaseLog}: ${logged(stage)}`, 'red');
  page.gap();
  const seen = await playTurn(stage, { options: ['resume', '--last'], words: demoWords.finish });
  const trouble = turnTrouble(seen);
  if (trouble !== undefined) return trouble;
  showSent(stage, seen, 'Outcome unknown');
  const steps = logged(stage);
  if (steps !== releaseSteps.map((step) => `${step} 1.0.1`).join(', ')) {
    return unexpectedTrouble(`Each step should be done once. ${releaseLog}: ${steps}`);
  }
  page.paragraph(`Each step was done once. ${releaseLog}: ${steps}`, 'green');
  return undefined;
}

/** A setting changes between turns: the model learns what changed, and the sandbox changes with it. */
export async function changeSetting(stage: Stage): Promise<Trouble | undefined> {
  stage.page.heading('3. Make the sandbox read-only');
  const source = projectText(stage.place, 'largest.mjs');
  const options = ['-s', 'read-only', 'resume', '--last'];
  const seen = await playTurn(stage, { options, words: demoWords.look });
  const trouble = turnTrouble(seen);
  if (trouble !== undefined) return trouble;
  if (seen.reports[0]?.end === 'exit 0' || projectText(stage.place, 'largest.mjs') !== source) {
    return unexpectedTrouble('The sandbox should be read-only, and a command changed a file.');
  }
  showSent(stage, seen, '<permissions');
  return undefined;
}

const mostTold = 180;

/** What the engine added for the model: as many sentences as fit into three lines. */
function showSent({ page }: Stage, { told }: TurnSeen, start: string): void {
  const text = told.find((each) => each.startsWith(start)) ?? '';
  const words = text
    .replaceAll(/<[^<>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const shown = words.length <= mostTold ? words : `${words.slice(0, words.lastIndexOf('. ', mostTold) + 1)} …`;
  if (words !== '') page.paragraph(`Capstan sent the model: "${shown}"`, 'dim');
}

function logged({ place }: Stage): string {
  return projectText(place, releaseLog)
    .split('\n')
    .filter((line) => line !== '')
    .join(', ');
}
