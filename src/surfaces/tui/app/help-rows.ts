import type { SlashCommand } from '../views/slash-table.ts';
import { drawRows } from '../text/draw-row.ts';
import type { Look } from '../text/look.ts';
import { accentStyle, boldStyle, plain, type Row, styled } from '../text/style.ts';
import { wrapRow } from '../text/wrap-row.ts';

/** What each key does, in the order in which users need them. */
const keyHelp: readonly (readonly [keys: string, does: string])[] = [
  ['enter', 'send the message; while a turn runs, the model reads it with its next request'],
  ['tab', 'while a turn runs: queue the message for a turn of its own'],
  ['alt+up', 'take the last queued message back into the composer'],
  ['ctrl+j, alt+enter, shift+enter', 'new line (shift+enter where the terminal reports it)'],
  ['esc', 'interrupt the turn; close what is open'],
  ['esc esc', 'in an empty draft: go back to an earlier message'],
  ['ctrl+c', 'clear the draft; with an empty draft: interrupt, or quit'],
  ['ctrl+d', 'quit, with an empty draft'],
  ['up, down', 'earlier messages, where the draft is empty or recalled; else move'],
  ['@', 'choose a file or a folder by letters of its path; a picture is attached'],
  ['$', 'choose a skill'],
  ['ctrl+r', 'search earlier messages, of all conversations; ctrl+s goes to newer ones'],
  ['ctrl+v, alt+v', 'attach a picture or files from the clipboard'],
  ['enter on a paste', 'read and change it: move the cursor to it with the arrow keys'],
  ['shift+tab', 'plan mode on or off'],
  ['alt+t', 'all tasks of the plan, or the one that is worked on'],
  ['alt+p', 'permissions: ask, or read only'],
  ['r', 'in an empty draft, after a turn that failed: try it again'],
  ['ctrl+t', 'the conversation with all details'],
  ['ctrl+o', 'copy the last answer'],
  ['alt+o', 'the details of the newest line about a model, a checkpoint, the cache or a retry'],
  ['alt+comma, alt+period', 'less, more effort of the model in this conversation'],
  ['alt+left, alt+right', 'in an empty draft: what the agents of the conversation do'],
  ['ctrl+g', 'write the draft in $VISUAL or $EDITOR'],
  ['ctrl+z', 'suspend; `fg` continues'],
  ['ctrl+l', 'draw the screen again'],
  ['page up, page down', 'scroll, on a full screen'],
  ['ctrl+a, ctrl+e, home, end', 'start and end of the line'],
  ['alt+b, alt+f, ctrl+left, ctrl+right', 'by words'],
  ['ctrl+w, alt+d', 'cut a word'],
  ['ctrl+u, ctrl+k', 'cut to the start, to the end of the line'],
  ['ctrl+y, alt+y', 'put back what was cut; an earlier cut'],
  ['ctrl+_, alt+_', 'undo, redo'],
  ['!', 'first in the draft: a command for your shell'],
  ['/', 'first in the draft: a command for Capstan'],
  ['?', 'in an empty draft: this page'],
];

export function helpRows(commands: readonly SlashCommand[], look: Look): readonly string[] {
  const section = (title: string, pairs: readonly (readonly [string, string])[]): readonly Row[] => {
    const wide = Math.min(Math.floor(look.width / 2), Math.max(...pairs.map(([left]) => left.length)) + 4);
    return [
      [styled(title, boldStyle)],
      ...pairs.flatMap(([left, right]) =>
        wrapRow([plain(right)], {
          width: look.width,
          first: [styled(`  ${left}`.padEnd(wide), accentStyle)],
          rest: [plain(' '.repeat(wide))],
        }),
      ),
      [],
    ];
  };
  const listed = commands.filter(({ isAlias }) => isAlias !== true);
  const pairs = listed.map(
    ({ name, takes, does }) => [takes === undefined ? `/${name}` : `/${name} ${takes}`, does] as const,
  );
  return drawRows([...section('Keys', keyHelp), ...section('Commands', pairs)], look);
}
