import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { type Finished, type Place, Running } from '../harness/run-capstan.ts';
import { codexSearchPath } from './native-codex.ts';

const require = createRequire(import.meta.url);

/** The command that starts Codex in a place. The home of Capstan is also its own. */
export function codexCommand(place: Place) {
  return {
    program: process.execPath,
    // On this Node the script becomes the native program: signals reach it without a process between.
    script: require.resolve('@openai/codex/bin/codex.js'),
    cwd: place.workspace,
    env: { ...process.env, PATH: codexSearchPath(), CODEX_HOME: place.home },
  };
}

/** Starts `codex exec --json` with nothing on standard input. Options and words are given as for Capstan. */
export function startCodex(place: Place, ...words: readonly string[]): Running {
  const { program, script, cwd, env } = codexCommand(place);
  const child = spawn(program, [script, 'exec', '--json', '--skip-git-repo-check', ...words], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return new Running(child);
}

export function runCodex(place: Place, ...words: readonly string[]): Promise<Finished> {
  return startCodex(place, ...words).finished;
}
