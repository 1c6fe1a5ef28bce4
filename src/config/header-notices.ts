import { isHeaderValue } from '../protocol/header-text.ts';
import type { Outcome } from '../protocol/outcome.ts';
import type { Variables } from '../protocol/variables.ts';
import type { Config } from './config.ts';
import { likelyCharacter, wrongCharacter } from './header-problems.ts';
import { providerOf } from './providers.ts';

/** Headers of a provider that cannot be sent because of the value of a variable. */
export function headerNotices(config: Config, id: string, env: Variables): readonly Outcome<'header-left-out'>[] {
  const provider = providerOf(config, id, env);
  if ('code' in provider) return [];
  return Object.entries(provider.envHttpHeaders).flatMap(([name, variable]) => {
    if (isHeaderValue(env[variable]?.trim() ?? '')) return [];
    const message = `The variable ${variable} ${wrongCharacter}, so Capstan sends requests to ${id} without the header ${JSON.stringify(name)}.`;
    return [{ code: 'header-left-out', message, next: `Set the variable again: ${likelyCharacter}` }];
  });
}
