import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { capstanProgram } from './contenders/capstan.ts';
import { codexProgram } from './contenders/codex.ts';
import { modelName } from './contenders/contender.ts';
import { writeDialectHome } from './contenders/codex-dialect.ts';
import type { BenchOptions } from './options.ts';
import { type Command, plainEnvironment } from './process/command.ts';
import { Place } from './process/place.ts';
import { runToExit } from './process/run-to-exit.ts';
import { terminalMarks } from './report/marks.ts';
import type { Bench } from './run-scenarios.ts';
import { runScreen, runWholeScreen, type TerminalCommand } from './terminal/screen-run.ts';

export const terminalRepetitions = { full: 5, quick: 1 };

/** No update, no report, and nothing to answer before the conversation. */
const quiet = `check_for_update_on_startup = false
model_auto_compact_token_limit = 100000000
analytics.enabled = false
tui.screen_reader_detection_done = true
notice.model_migrations = { "gpt-5.5" = "gpt-6-sol" }
`;

/** Both on a terminal of 100 columns and 40 rows, in turn: on its main screen, and then on a screen of their own. */
export async function runTerminal(
  { book, effort, folder, missing, say }: Pick<Bench, 'book' | 'effort' | 'folder' | 'missing' | 'say'>,
  only: BenchOptions['only'],
): Promise<void> {
  if (only.length > 0 && !only.some((mark) => terminalMarks.some((each) => each === mark))) return;
  const rounds = terminalRepetitions[effort];
  say(`the terminal: ${rounds} times`);
  const server = fork(join(import.meta.dirname, 'terminal/stream-server.ts'), { stdio: 'inherit' });
  const [{ url }] = (await once(server, 'message')) as [{ readonly url: string }];
  const nothing = join(import.meta.dirname, 'floor/nothing.cjs');
  try {
    for (let round = 0; round <= rounds; round++) {
      for (const row of ['capstan', 'codex'] as const) {
        const place = new Place(join(folder, `terminal-${row}`));
        const trust = `[projects.${JSON.stringify(place.workspace)}]\ntrust_level = "trusted"\n`;
        const write = (screen: string): void =>
          writeDialectHome(
            { place, modelUrl: url, firstBody: '' },
            `${row === 'codex' ? quiet : ''}tui.alternate_screen = "${screen}"\n${trust}`,
          );
        write('never');
        const scrolled = await runScreen(commands[row](place));
        write('always');
        const samples = { ...scrolled, ...(await runWholeScreen(commands[row](place))) };
        // The first round fills caches.
        for (const mark of round === 0 ? [] : terminalMarks) book.add(mark, row, samples[mark] ?? []);
      }
      const bare = await runToExit({ ...commandIn(folder), program: process.execPath, arguments: [nothing] });
      if (round > 0) book.add('terminal-frame', 'node', [bare]);
    }
  } catch (error) {
    missing.push(`The terminal: ${(error as Error).message}`);
    for (const mark of terminalMarks) for (const row of ['capstan', 'codex', 'node'] as const) book.remove(mark, row);
  } finally {
    server.disconnect();
  }
}

const commands = {
  capstan: (place: Place): TerminalCommand => ({
    command: {
      program: process.execPath,
      arguments: [capstanProgram],
      env: { ...plainEnvironment(place.osHome), CAPSTAN_HOME: place.home },
      cwd: place.workspace,
    },
    placeholder: 'Ask Capstan to do anything',
    ready: modelName,
  }),
  codex: (place: Place): TerminalCommand => ({
    command: {
      program: codexProgram(),
      // Alone, as Capstan is: the shared server would be a second process beside the one that is measured.
      arguments: ['--no-daemon'],
      env: { ...plainEnvironment(place.osHome), CODEX_HOME: place.home },
      cwd: place.workspace,
    },
    placeholder: 'Ask Codex to do anything',
    ready: modelName.toUpperCase(),
  }),
};

function commandIn(folder: string): Pick<Command, 'env' | 'cwd'> {
  return { env: plainEnvironment(folder), cwd: folder };
}
