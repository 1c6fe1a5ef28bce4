import type { PrefixBreak } from '../../protocol/thread-event.ts';
import { count } from './number-words.ts';

/** What broke the provider's cache, for people. */
export function breakWords(each: PrefixBreak): string {
  switch (each.kind) {
    case 'checkpoint':
      return 'a checkpoint';
    case 'rollback':
      return 'a rollback';
    case 'reopened':
      return 'the history before a checkpoint, which is sent again';
    case 'instructions':
      return 'other instructions';
    case 'setting':
      // No setting of the user: a fork and a conversation that went back are threads of their own.
      if (each.name === 'cacheKey') return 'a thread with a cache of its own';
      return `the setting ${each.name}`;
    case 'tools': {
      const names = [...each.added, ...each.removed, ...each.changed];
      return names.length === 0 ? 'the order of the tools' : `the tools ${names.join(', ')}`;
    }
    case 'entry':
      return `an item that was ${each.what} (number ${each.index})`;
  }
}

/** The same with what it costs. */
export function brokenPrefix(each: PrefixBreak): string {
  return `broken by ${breakWords(each)}; about ${count(each.tokens)} tokens are read again`;
}
