import type { Config } from '../../config/config.ts';
import type { Outcome } from '../../protocol/outcome.ts';

/** One sentence for all keys that are set and do nothing yet. */
export function unusedNotice({ unused = [] }: Pick<Config, 'unused'>): readonly Outcome<'config-unused-keys'>[] {
  if (unused.length === 0) return [];
  const message = `Capstan does not use these configuration keys yet: ${unused.join(', ')}.`;
  return [{ code: 'config-unused-keys', message, next: 'See where they are set: `capstan config show --origin`.' }];
}
