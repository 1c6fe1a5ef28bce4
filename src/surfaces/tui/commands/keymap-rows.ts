import { actionId, defaultKeys } from '../keys/key-action.ts';
import { fixedKeys } from '../keys/key-actions.ts';
import type { KeyBinding, KeyMap } from '../keys/key-map.ts';
import { shownKey } from '../keys/key-name.ts';
import { sentAs } from '../keys/sent-as.ts';
import { cleanLine } from '../text/clean.ts';
import { columnsOf } from '../../../base/columns.ts';
import type { Look } from '../text/look.ts';
import { shownPath } from '../text/shown-path.ts';
import type { ListItem } from '../views/list-view.ts';

/** Where the line of an action stands, as the file with its line; undefined: it has its default keys. */
export type BoundAt = (binding: KeyBinding) => string | undefined;

/** Columns of the keys in a row; the rows below the list have all of them. */
const mostColumns = 14;

/** All actions by their context, then the keys that are fixed. */
export function keymapItems({ bindings }: KeyMap, boundAt: BoundAt): readonly ListItem[] {
  const rows = bindings.map((binding) => ({
    binding,
    keys: shortKeys(binding.keys),
    at: sourceName(boundAt(binding)),
  }));
  const wide = Math.max(...rows.map(({ keys }) => columnsOf(keys)));
  const wideSource = Math.max(...rows.map(({ at }) => columnsOf(at)));
  const cell = (text: string, columns: number): string => text + ' '.repeat(Math.max(0, columns - columnsOf(text)));
  return [
    ...rows.map(({ binding: { action }, keys, at }) => ({
      label: actionId(action),
      about: `${cell(keys, wide)}  ${cell(at, wideSource)}  ${action.does}`,
    })),
    ...Object.entries(fixedKeys).map(([key, does]) => ({
      label: 'fixed',
      about: `${cell(shownKey(key), wide)}  ${cell('fixed', wideSource)}  ${does}`,
    })),
  ];
}

/** `enter, f5`, or that there is none. */
export function keyWords(keys: readonly string[]): string {
  return keys.length === 0 ? 'no key' : keys.map((key) => shownKey(key)).join(', ');
}

/** As many as fit, and how many more there are. */
function shortKeys(keys: readonly string[]): string {
  const count = keys.findLastIndex((_, at) => columnsOf(keyWords(keys.slice(0, at + 1))) <= mostColumns - 3) + 1;
  const shown = Math.max(1, count);
  return shown >= keys.length ? keyWords(keys) : `${keyWords(keys.slice(0, shown))} +${keys.length - shown}`;
}

/** `config.toml` of the file with its line; other sources as they are. */
function sourceName(source: string | undefined): string {
  if (source === undefined) return 'default';
  return cleanLine(/([^\\/]+\.toml)(?::\d+)?$/.exec(source)?.[1] ?? source);
}

/** What is known of the keys of an action, in sentences. */
export function bindingLines(binding: KeyBinding, at: string | undefined, look: Look): readonly string[] {
  const { action, keys } = binding;
  const where =
    at === undefined
      ? keys.length === defaultKeys(action).length
        ? 'the default'
        : 'what other actions leave of the default'
      : `bound in ${shownPath(at, look)}`;
  return [action.does, `Keys: ${keyWords(keys)} (${where}).`];
}

/** Keys of an action that a terminal without a protocol cannot send; empty: it sends all of them. */
export function unsentLine({ keys }: KeyBinding): string {
  const strokes = new Set(keys.flatMap((each) => each.split(' ')));
  const unsent = Map.groupBy(
    [...strokes].filter((each) => sentAs(each) !== undefined),
    sentAs,
  );
  const pairs = [...unsent].map(
    ([sent = '', all]) => `${shownKey(sent)} for ${all.map((key) => shownKey(key)).join(' and ')}`,
  );
  return pairs.length === 0 ? '' : `This terminal sends ${pairs.join(', ')}, and Capstan cannot tell them apart.`;
}

export const sameKeys =
  'This terminal sends the same for Enter and Ctrl+Enter, for Tab and Ctrl+I and the like: it does not have the keyboard protocol of kitty, which tells them apart.';
