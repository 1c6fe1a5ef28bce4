import { literalWord } from './literal-word.ts';
import { secondReading } from './second-reading.ts';
import type { KnownWord } from './shell-call.ts';

const leading = new Set('if then elif else while until do for case ! { } time'.split(' '));

export interface UnreadCommands {
  readonly commands: readonly (readonly KnownWord[])[];
  /** There are more than can be looked at. */
  readonly isCut: boolean;
}

const nothing: UnreadCommands = { commands: [], isCut: false };

/**
 * What may be commands in a script that the grammar does not read: shells run the lines before the one that they cannot
 * read, and read more than the grammar does.
 */
export function unreadCommands(script: string): UnreadCommands {
  return isNeverRun(script) ? nothing : commandsIn(script);
}

/** The same as if substitutions stood in lines of their own, whatever is around them. */
export function unreadSubstitutions(script: string): UnreadCommands {
  return isNeverRun(script) ? nothing : commandsIn(script.replaceAll(/"|`|\$\(/g, '\n'));
}

/** A quote of the first line that is never closed: no shell runs any of it. */
function isNeverRun(script: string): boolean {
  if (/<<|\$\(|`|\$\{|\\/.test(script)) return false;
  const [line = ''] = script.split('\n', 1);
  const outside = line.replaceAll(/'[^']*'|"[^"]*"/g, '').replace(/(?:^|\s)#.*/, '');
  const [quote] = /['"]/.exec(outside) ?? [];
  return quote !== undefined && !script.slice(line.length).includes(quote);
}

function commandsIn(script: string): UnreadCommands {
  const { pieces, isCut } = secondReading(script);
  const commands = pieces
    .filter((piece) => typeof piece === 'object')
    .map(({ words }) => {
      const start = words.findIndex((word) => !leading.has(word));
      return start < 0 ? [] : words.slice(start).map((word) => literalWord(word)?.text);
    })
    .filter((words) => words.length > 0);
  return { commands, isCut };
}
