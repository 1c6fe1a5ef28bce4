import type { ChangesBeside } from '../../engine/live/changes-beside.ts';
import { plural } from '../../wording/number-words.ts';
import { shownPath } from '../text/shown-path.ts';

/** More are counted. */
const mostNamed = 5;

/** What a conversation that is not kept leaves in files, in one line. Undefined: it did nothing that could be left. */
export function leftFiles(
  { files, commands, problem }: Pick<ChangesBeside, 'files' | 'commands' | 'problem'>,
  place: Parameters<typeof shownPath>[1],
): string | undefined {
  const names = files.slice(0, mostNamed).map((path) => shownPath(path, place));
  const more = files.length - names.length;
  const changed = [...names, ...(more === 0 ? [] : [`${more} more`])].join(', ');
  const did = [
    ...(changed === '' ? [] : [`changed ${changed}`]),
    ...(commands === 0 ? [] : [`ran ${plural(commands, 'command')}`]),
  ];
  if (did.length === 0) return undefined;
  const told = problem === undefined ? toldWords(files.length, commands) : 'the main model could not be told all of it';
  return `The side conversation ${did.join(' and ')}. Files stay as it left them: ${told}, and /rewind does not take that back.`;
}

function toldWords(files: number, commands: number): string {
  if (files === 0) return 'the main model is not told';
  const told = `the main model reads which ${files === 1 ? 'file' : 'files'} it changed`;
  return commands === 0 ? told : `${told}, but not what ${commands === 1 ? 'the command' : 'the commands'} did`;
}
