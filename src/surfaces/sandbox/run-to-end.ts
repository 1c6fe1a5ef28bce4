import type { Outcome } from '../../protocol/outcome.ts';
import { nearestWord } from '../commands/did-you-mean.ts';
import { sandboxCommand } from '../commands/sandbox-command.ts';
import type { CommandSandbox } from '../engine/command-sandbox.ts';
import { complain } from '../terminal/print.ts';

/** Ends as the command ends. A program that is not there ends as in a shell. */
export async function runToEnd(
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
      return 'exitCode' in end ? complain({ ...outcome, next: suggestion(argv[0] ?? '') }, end.exitCode) : outcome;
    }
  }
}

function suggestion(program: string): string {
  const nearest = nearestWord(program, Object.keys(sandboxCommand.variants));
  return nearest === undefined ? '' : `Did you mean \`capstan sandbox ${nearest}\`?`;
}
