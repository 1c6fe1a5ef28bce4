import type { CommandSandbox } from '../../../engine/sandbox/command-sandbox.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { loadCommandEngine } from '../../views/command-line/command-engine.ts';
import type { CommandArguments } from '../../views/command-line/command.ts';
import { nearestWord } from '../../views/command-line/did-you-mean.ts';
import { printFailure, printNote } from '../../views/terminal/print.ts';
import { sandboxCommand } from '../table/sandbox-and-files-commands.ts';
import { resolve } from 'node:path';

export async function run(given: CommandArguments<typeof sandboxCommand>): Promise<number | Outcome> {
  if (given.variant === 'linux') return (await import('./linux-helper.ts')).runLinuxHelper(given);
  const { overrides, profile, permissions, sandboxFallback, folder = '.' } = given.options;
  const loaded = await loadCommandEngine(overrides, { profile, sandboxFallback });
  if ('code' in loaded) return loaded;
  const { engine, cwd } = loaded;
  if (given.variant === 'setup') return (await import('./explain-and-setup.ts')).setUpSandbox(engine);
  if (given.variant === 'check') return (await import('./check.ts')).checkSandbox(engine, given.options);
  const named = permissions === undefined ? undefined : { named: permissions };
  const sandbox = await engine.openSandbox({ cwd: resolve(cwd, folder), permissions: named });
  if ('code' in sandbox) return sandbox;
  for (const { message } of [...engine.notices, ...sandbox.notices]) printNote(`capstan: ${message}`);
  if (given.variant === 'explain')
    return (await import('./explain-and-setup.ts')).explainSandbox(sandbox, given.options);
  return runSandboxedCommand(sandbox, given.words, { notice: ({ message }) => printNote(`capstan: ${message}`) });
}

/** Exits as the command does; for a missing program, as a shell would. */
export async function runSandboxedCommand(
  sandbox: CommandSandbox,
  argv: readonly string[],
  options: Parameters<CommandSandbox['run']>[1] = {},
): Promise<number | Outcome> {
  const end = await sandbox.run(argv, options);
  if ('code' in end) return end;
  switch (end.kind) {
    case 'exited':
      return end.exitCode;
    case 'signalled':
      process.kill(process.pid, end.signal);
      return 1;
    case 'not-started': {
      const outcome: Outcome = { code: 'not-started', message: end.reason, next: '' };
      return 'exitCode' in end ? printFailure({ ...outcome, next: suggestion(argv[0] ?? '') }, end.exitCode) : outcome;
    }
  }
}

function suggestion(program: string): string {
  const nearest = nearestWord(program, Object.keys(sandboxCommand.variants));
  return nearest === undefined ? '' : `Did you mean \`capstan sandbox ${nearest}\`?`;
}
