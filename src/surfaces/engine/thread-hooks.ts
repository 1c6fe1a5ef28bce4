import { join } from 'node:path';
import { runWithInput } from '../../exec/run-with-input.ts';
import { createHooks } from '../../hooks/create-hooks.ts';
import type { HookDefinition } from '../../hooks/hook-definition.ts';
import { createHookTexts } from '../../hooks/save-output.ts';
import type { Hooks } from '../../ports/hooks.ts';
import { defined } from '../../protocol/defined.ts';
import type { EngineParts } from './engine-parts.ts';

/** The hooks of one thread. They are the user's own programs: they get the variables of this process. */
export function createThreadHooks(
  { clock, ids, options, base }: Pick<EngineParts, 'clock' | 'ids' | 'options' | 'base'>,
  hooks: readonly HookDefinition[],
  shell: string,
): Hooks {
  const given = defined(options.env) as Readonly<Record<string, string>>;
  // Standard input of a child of Node is a socket. A bash that is the first shell takes that for a remote login, and
  // reads start-up files.
  const env = { ...given, SHLVL: String(Math.max(1, Number(given['SHLVL']) || 0)) };
  return createHooks({
    hooks,
    run: runWithInput,
    shell,
    env,
    clock,
    ids,
    texts: createHookTexts(join(base.home, 'hook-outputs')),
  });
}
