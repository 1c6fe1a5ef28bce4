import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { projectText } from './place.ts';
import { playTurn, type Stage } from './play-turn.ts';
import { releaseLog, releaseSteps } from './project.ts';
import { demoWords } from './scripted-answers.ts';
import { type Trouble, turnTrouble, unexpectedTrouble } from './trouble.ts';

/** A bug is fixed, and the sandbox keeps the model from what it must not do. Gives the thread it happened in. */
export async function fixInSandbox(stage: Stage): Promise<{ readonly threadId: string } | Trouble> {
  stage.page.heading('1. A bug is fixed, inside a sandbox');
  const seen = await playTurn(stage, { options: [], words: demoWords.fix });
  const trouble = turnTrouble(stage, seen);
  if (trouble !== undefined) return trouble;
  const [, failing, , passing, hook] = seen.commands.map(({ exit_code: code }) => code);
  if (failing === 0) return unexpectedTrouble('The check was meant to fail at first, and it passed.');
  if (passing !== 0) return unexpectedTrouble('The check was meant to pass after the fix, and it did not.');
  if (hook === 0 || existsSync(join(stage.place.project, '.git/hooks/pre-commit'))) {
    return unexpectedTrouble('The sandbox was meant to keep .git as it is, and a hook could be written.');
  }
  return seen;
}

/** The process is killed while a command is under way, and another one resumes. */
export async function killAndResume(stage: Stage, threadId: string): Promise<Trouble | undefined> {
  const { page, place } = stage;
  page.heading('2. The process is killed in the middle of a command, and the thread is resumed');
  const killed = await playTurn(stage, {
    options: ['resume', threadId],
    words: demoWords.release,
    async meanwhile(process) {
      while (projectText(place, releaseLog) === '' && process.isAlive()) await pause(5);
      process.kill();
    },
  });
  if (killed.end.signal !== 'SIGKILL') {
    return turnTrouble(stage, killed) ?? unexpectedTrouble('The process ended before it could be killed.');
  }
  page.row('killed', [`by SIGKILL, halfway: ${releaseLog} holds "${logged(stage)}"`], 'bad');
  page.gap();
  const seen = await playTurn(stage, { options: ['resume', threadId], words: demoWords.goOn });
  const trouble = turnTrouble(stage, seen);
  if (trouble !== undefined) return trouble;
  const steps = logged(stage);
  if (steps !== releaseSteps.map((step) => `${step} 1.0.1`).join(', '))
    return unexpectedTrouble(`Each step was meant to be done once; ${releaseLog}: ${steps}.`);
  page.row('result', [`each step was done once: ${releaseLog} holds "${steps}"`], 'good');
  return undefined;
}

/** A setting changes between turns: the model is told what changed, and the sandbox changes with it. */
export async function changeSetting(stage: Stage, threadId: string): Promise<Trouble | undefined> {
  stage.page.heading('3. A setting changes, and the model is told what changed');
  const source = projectText(stage.place, 'largest.mjs');
  const seen = await playTurn(stage, { options: ['-s', 'read-only', 'resume', threadId], words: demoWords.look });
  const trouble = turnTrouble(stage, seen);
  if (trouble !== undefined) return trouble;
  if (seen.commands[0]?.exit_code === 0 || projectText(stage.place, 'largest.mjs') !== source) {
    return unexpectedTrouble('The sandbox was meant to be read-only, and a file could be changed.');
  }
  return undefined;
}

function logged({ place }: Stage): string {
  return projectText(place, releaseLog)
    .split('\n')
    .filter((line) => line !== '')
    .join(', ');
}
