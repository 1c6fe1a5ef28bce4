import type { SlashCommand } from '../commands/slash-commands.ts';
import { fixedKeys } from '../screen/keys/key-actions.ts';
import { contextsOf, defaultKeyMap, hintKeyMapper } from '../screen/keys/key-map.ts';
import { shownKey } from '../screen/keys/key-names.ts';
import { drawRows } from '../screen/text/draw-row.ts';
import type { Look } from '../screen/text/look.ts';
import { accentStyle, boldStyle, plain, type Row, styled } from '../screen/text/style.ts';
import { wrapRow } from '../screen/text/wrap-row.ts';
import type { TuiScreen } from '../screen/tui-screen.ts';
import { openPage } from './pager-view.ts';

export function openHelp(stage: TuiScreen, commands: readonly SlashCommand[]): void {
  openPage(stage, { title: 'Keys and commands', rows: (look) => helpRows(commands, look) });
}

const mostKeys = 2;

function keyHelp({ keys = defaultKeyMap }: Look): readonly (readonly [keys: string, does: string])[] {
  const key = hintKeyMapper({ keys }, 'composer');
  const bound = keys.bindings
    .filter(({ action, keys: all }) => contextsOf.composer.includes(action.context) && all.length > 0)
    .map(({ action, keys: all }) => [listed(all.slice(0, mostKeys)), action.does] as const);
  const byEffect = Map.groupBy(Object.entries(fixedKeys), ([, does]) => does);
  const fixed = [...byEffect].map(([does, all]) => [listed(all.map(([key]) => key)), does] as const);
  return [
    ...bound,
    ...fixed,
    [`${key('esc')} ${key('esc')}`, 'in an empty draft: go back to an earlier message'],
    ['r', 'in an empty draft, after a turn that failed: try it again'],
    ['@', 'choose a file or a folder by letters of its path; a picture is attached'],
    ['$', 'choose a skill'],
    [`${key('enter')} on a paste`, 'read and change it: move the cursor to it with the arrow keys'],
    ['!', 'first in the draft: a command for your shell'],
    ['/', 'first in the draft: a command for Capstan'],
  ];
}

const listed = (keys: readonly string[]): string => keys.map(shownKey).join(', ');

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
  const pairs = commands
    .filter(({ isAlias }) => isAlias !== true)
    .map(({ name, takes, does }) => [takes === undefined ? `/${name}` : `/${name} ${takes}`, does] as const);
  return drawRows([...section('Keys', keyHelp(look)), ...section('Commands', pairs)], look);
}
