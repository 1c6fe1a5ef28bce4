import { defined } from '../../base/objects.ts';
import type { EngineParts } from '../engine-parts.ts';

/** For user programs outside of the sandbox: with these they find no code in a folder that commands may write. */
export function programVariables({ options, programs }: Pick<EngineParts, 'options' | 'programs'>) {
  const given = defined(options.env) as Readonly<Record<string, string>>;
  // Otherwise Python looks for modules in the current folder. An empty value is the user's choice.
  return { PYTHONSAFEPATH: '1', ...given, PATH: programs.searchPath() };
}
