import { resolve } from 'node:path';
import { defined } from '../../protocol/defined.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { CommandArguments } from '../commands/command.ts';
import { loadCommandEngine } from '../commands/command-engine.ts';
import type { sandboxCommand } from '../commands/sandbox-command.ts';
import { printNote } from '../terminal/print.ts';
import { runToEnd } from './run-to-end.ts';

/** `capstan sandbox`. */
export async function run(given: CommandArguments<typeof sandboxCommand>): Promise<number | Outcome> {
  if (given.variant === 'linux') return (await import('./run-helper.ts')).runHelper(given);
  const { overrides, profile, permissions, sandboxFallback, folder = '.' } = given.options;
  const loaded = await loadCommandEngine(overrides, defined({ profile, sandboxFallback }));
  if ('code' in loaded) return loaded;
  const { engine, cwd } = loaded;
  if (given.variant === 'setup') return (await import('./setup.ts')).setUp(engine);
  if (given.variant === 'check') return (await import('./check.ts')).check(engine, given.options);
  const named = permissions === undefined ? undefined : { named: permissions };
  const sandbox = await engine.openSandbox({ cwd: resolve(cwd, folder), ...defined({ permissions: named }) });
  if ('code' in sandbox) return sandbox;
  for (const { message } of [...engine.notices, ...sandbox.notices]) printNote(`capstan: ${message}`);
  if (given.variant === 'explain') return (await import('./explain.ts')).explain(sandbox, given.options);
  return runToEnd(sandbox, given.words, { notice: ({ message }) => printNote(`capstan: ${message}`) });
}
