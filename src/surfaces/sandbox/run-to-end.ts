import type { Outcome } from '../../protocol/outcome.ts';
import type { CommandSandbox } from '../engine/command-sandbox.ts';
import type { InheritedEnd } from '../engine/engine-types.ts';

/** Ends as the command ends. */
export async function runToEnd(
  sandbox: CommandSandbox,
  argv: readonly string[],
  options: { readonly cwd?: string } = {},
): Promise<number | Outcome> {
  const end = await sandbox.run(argv, options);
  return 'code' in end ? end : exitAs(end);
}

function exitAs(end: InheritedEnd): number | Outcome {
  switch (end.kind) {
    case 'exited':
      return end.exitCode;
    case 'signalled':
      process.kill(process.pid, end.signal);
      return 1;
    case 'not-started':
      return { code: 'not-started', message: end.reason, next: '' };
  }
}
