import { dirname, join } from 'node:path';
import { runWithInput } from '../../exec/run-with-input.ts';
import { changedConfiguration } from '../../gather/config/landlock-record.ts';
import { createHooks } from '../../hooks/create-hooks.ts';
import type { HookDefinition } from '../../hooks/hook-definition.ts';
import { readMatchers } from '../../hooks/matcher.ts';
import { SessionStarts } from '../../hooks/session-starts.ts';
import { createHookTexts } from '../../hooks/save-output.ts';
import type { Hooks } from '../../ports/hooks.ts';
import type { EngineParts } from './engine-parts.ts';
import { programVariables } from './program-variables.ts';

/** The hooks of one thread. They are the user's own programs: they get the variables of this process. */
export async function createThreadHooks(
  engine: Pick<EngineParts, 'clock' | 'ids' | 'options' | 'programs' | 'base' | 'sessionStarts'>,
  hooks: readonly HookDefinition[],
  shell: string,
): Promise<Hooks> {
  const { clock, ids, options } = engine;
  // Standard input of a child of Node is a socket. A bash that is the first shell takes that for a remote login, and
  // reads start-up files.
  const level = String(Math.max(1, Number(options.env['SHLVL']) || 0));
  const { patterns } = await readMatchers(hooks.map(({ matcher }) => matcher));
  return createHooks({
    hooks,
    patterns,
    run: runWithInput,
    refusal: ({ source }) => {
      if (source.owner !== 'project') return undefined;
      // Commands of this thread may run under Landlock, and the script of the hook lies beside its definition.
      const found = changedConfiguration(engine.base.home, { owner: dirname(dirname(source.path)) });
      return found && `It was not run: commands under Landlock could change ${found.changed} since you trusted it.`;
    },
    shell,
    variables: () => ({ ...programVariables(engine), SHLVL: level }),
    clock,
    ids,
    texts: createHookTexts(join(engine.base.home, 'hook-outputs')),
    starts: new SessionStarts(engine.sessionStarts),
  });
}
