import { join } from 'node:path';
import type { PlainCommand, RunnableCommand } from '../src/ports/sandbox.ts';
import { monotonicMs } from './model/piece.ts';
import type { BenchOptions } from './options.ts';
import { plainEnvironment } from './process/command.ts';
import type { Bench } from './run-scenarios.ts';
import { engineSandbox } from './sandbox/engine-sandbox.ts';
import { type SandboxCase, sandboxCases } from './sandbox/sandbox-cases.ts';
import { sandboxMarks } from './report/marks.ts';

export const sandboxRepetitions = { full: 60, quick: 10 };

/** For the compiler and for caches. */
const unmeasured = 5;
/** As long as the engine's: commands that follow each other find what the one before mounted on. */
const lingerMs = 1000;

/** The command `true` in the sandbox and outside of it, in turn: from the plan until everything is put away. */
export async function runSandbox(
  { book, effort, folder, missing, say }: Pick<Bench, 'book' | 'effort' | 'folder' | 'missing' | 'say'>,
  only: BenchOptions['only'],
): Promise<void> {
  if (only.length > 0 && !only.some((mark) => sandboxMarks.includes(mark))) return;
  const rounds = sandboxRepetitions[effort];
  say(`a sandboxed command: ${rounds} times`);
  const runners = sandboxCases(join(folder, 'sandbox'), only).map(runnerOf);
  try {
    for (let round = -unmeasured; round < rounds; round++) {
      for (const { mark, bare, sandboxed } of runners) {
        const [without, within] = [await bare(), await sandboxed()];
        if (round < 0) continue;
        book.add(mark, 'capstan', [within]);
        book.add(mark, 'bare', [without]);
      }
    }
  } catch (error) {
    missing.push(`A sandboxed command: ${(error as Error).message}`);
    for (const mark of sandboxMarks) for (const row of ['capstan', 'bare'] as const) book.remove(mark, row);
  }
}

function runnerOf({ mark, place, policy }: SandboxCase) {
  const command: PlainCommand = {
    argv: ['/bin/true'],
    cwd: place.workspace,
    env: plainEnvironment(place.osHome),
  };
  const { spawn, sandbox } = engineSandbox({
    env: command.env,
    writable: [place.workspace],
    runFolder: join(place.home, 'run'),
    lingerMs,
  });
  const timed = async (plan: () => Promise<RunnableCommand>): Promise<number> => {
    const startedAt = monotonicMs();
    const planned = await plan();
    const { signal } = new AbortController();
    const end = await spawn.run(planned, { timeoutMs: 60_000, outputBytes: 10_000 }, { signal });
    const milliseconds = monotonicMs() - startedAt;
    if (end.kind !== 'exited' || end.exitCode !== 0) throw new Error(`true did not succeed: ${JSON.stringify(end)}`);
    return milliseconds;
  };
  return {
    mark,
    bare: () => timed(async () => ({ kind: 'runnable', ...command, files: [], cleanup: async () => {} })),
    sandboxed: () =>
      timed(async () => {
        const planned = await sandbox.plan(command, policy, []);
        if (planned.kind === 'refused') throw new Error(planned.message);
        return planned;
      }),
  };
}
