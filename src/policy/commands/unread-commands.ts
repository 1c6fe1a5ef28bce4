import { literalWord } from './literal-word.ts';
import { secondReadings } from './second-reading.ts';
import type { KnownWord, ShellCall } from './shell-call.ts';

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
export function unreadCommands(script: string, shell: ShellCall['shell']): UnreadCommands {
  return isNeverRun(script) ? nothing : commandsIn(script, shell);
}

/** The same as if substitutions stood in lines of their own, whatever is around them. */
export function unreadSubstitutions(script: string, shell: ShellCall['shell']): UnreadCommands {
  return isNeverRun(script) ? nothing : commandsIn(script.replaceAll(/"|`|\$\(/g, '\n'), shell);
}

/** A quote of the first line that is never closed: no shell runs any of it. */
function isNeverRun(script: string): boolean {
  if (/<<|\$\(|`|\$\{|\\/.test(script)) return false;
  const [line = ''] = script.split('\n', 1);
  const outside = line.replaceAll(/'[^']*'|"[^"]*"/g, '').replace(/(?:^|\s)#.*/, '');
  const [quote] = /['"]/.exec(outside) ?? [];
  return quote !== undefined && !script.slice(line.length).includes(quote);
}

function commandsIn(script: string, shell: ShellCall['shell']): UnreadCommands {
  const readings = secondReadings(script, shell);
  const commands = new Map<string, readonly KnownWord[]>();
  for (const piece of readings.flatMap(({ pieces }) => pieces)) {
    if (typeof piece === 'string') continue;
    const start = piece.words.findIndex((word) => !leading.has(word));
    if (start < 0) continue;
    const words = piece.words.slice(start);
    commands.set(
      JSON.stringify(words),
      words.map((word) => literalWord(word)?.text),
    );
  }
  return { commands: [...commands.values()], isCut: readings.some(({ isCut }) => isCut) };
}
