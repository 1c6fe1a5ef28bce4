import { countColumns } from '../../../../base/text-columns.ts';
import { blanksTo } from '../../pages/list-parts.ts';
import type { ListItem } from '../../pages/list-view.ts';
import { actionId, defaultKeys, fixedKeys } from '../../screen/keys/key-actions.ts';
import type { KeyBinding, KeyMap } from '../../screen/keys/key-map.ts';
import { shownKey } from '../../screen/keys/key-names.ts';
import { conflictingBindings } from '../../screen/keys/read-key-map.ts';
import { cleanLine } from '../../screen/text/clean-text.ts';
import { shownPath } from '../../screen/text/format-values.ts';
import type { Look } from '../../screen/text/look.ts';

/** The file and line that bind an action; undefined: it has its default keys. */
type BoundAt = (binding: KeyBinding) => string | undefined;
const mostColumns = 14;

export function keymapItems({ bindings }: KeyMap, boundAt: BoundAt): readonly ListItem[] {
  const keys = bindings.map((binding) => shortKeys(binding.keys));
  const sources = bindings.map((binding) => sourceName(boundAt(binding)));
  const wide = Math.max(...keys.map(countColumns));
  const wideSource = Math.max(...sources.map(countColumns));
  const row = (label: string, key: string, source: string, does: string): ListItem => {
    const cells = [key + blanksTo(wide, countColumns(key)), source + blanksTo(wideSource, countColumns(source))];
    return { label, about: [...cells, does].join('  ') };
  };
  return [
    ...bindings.map(({ action }, at) => row(actionId(action), keys[at]!, sources[at]!, action.does)),
    ...Object.entries(fixedKeys).map(([key, does]) => row('fixed', shownKey(key), 'fixed', does)),
  ];
}

export const keyWords = (keys: readonly string[]): string =>
  keys.length === 0 ? 'no key' : keys.map(shownKey).join(', ');

/** As many as fit, then the number of the others. */
function shortKeys(keys: readonly string[]): string {
  const count = keys.findLastIndex((_, at) => countColumns(keyWords(keys.slice(0, at + 1))) <= mostColumns - 3) + 1;
  const shown = Math.max(1, count);
  return shown >= keys.length ? keyWords(keys) : `${keyWords(keys.slice(0, shown))} +${keys.length - shown}`;
}

/** `config.toml` is shown with its line; other sources as they are. */
function sourceName(source: string | undefined): string {
  if (source === undefined) return 'default';
  return cleanLine(/([^\\/]+\.toml)(?::\d+)?$/.exec(source)?.[1] ?? source);
}

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

/** Names the keys of an action that a terminal without a keyboard protocol cannot send; empty: it sends all of them. */
export function unsentLine({ keys }: KeyBinding): string {
  const strokes = new Set(keys.flatMap((each) => each.split(' ')));
  const unsent = Map.groupBy(strokes, reportedStroke);
  unsent.delete(undefined);
  const pairs = [...unsent].map(([sent = '', all]) => `${shownKey(sent)} for ${all.map(shownKey).join(' and ')}`);
  return pairs.length === 0 ? '' : `This terminal sends ${pairs.join(', ')}, and Capstan cannot tell them apart.`;
}

export const sameKeys =
  'This terminal sends the same for Enter and Ctrl+Enter, for Tab and Ctrl+I and the like: it does not have the keyboard protocol of kitty, which tells them apart.';

/** Keys with an ASCII character of their own, which Ctrl and Shift do not change. */
const characters: ReadonlySet<string> = new Set(['enter', 'tab', 'backspace', 'escape', 'space']);
/** Control characters that other keys send too. */
const controls: Record<string, string> = { i: 'tab', m: 'enter', '[': 'escape', '/': 'ctrl+_', '-': 'ctrl+_' };
const sentAlone = new Set(['shift+tab', 'ctrl+space']);

/** The key that a terminal without a keyboard protocol reports instead; undefined: it reports this one, if any. */
export function reportedStroke(stroke: string): string | undefined {
  const [, ctrl, alt = '', shift, name = ''] = /^(ctrl\+)?(alt\+)?(shift\+)?(.+)$/.exec(stroke) ?? [];
  if (sentAlone.has(stroke.replace('alt+', ''))) return undefined;
  if (characters.has(name)) return ctrl === undefined && shift === undefined ? undefined : alt + name;
  if (ctrl === undefined || [...name].length !== 1) return undefined;
  const control = controls[name];
  if (control !== undefined)
    return control.startsWith('ctrl+') ? control.replace('ctrl+', `ctrl+${alt}`) : alt + control;
  return /^[a-z@\\\]^_]$/.test(name) ? undefined : alt + name;
}

export function keyChangeWords(map: KeyMap, now: KeyBinding, wanted: readonly string[], at = ''): string {
  const id = actionId(now.action);
  const missed = wanted.filter((key) => !now.keys.includes(key));
  const isAsWanted = missed.length === 0 && now.keys.length === wanted.length;
  if (isAsWanted) return `${id}: ${keyWords(now.keys)}. Saved in config.toml.`;
  const holders = missed.flatMap((key) =>
    conflictingBindings(map, now.action, key).map(({ action }) => actionId(action)),
  );
  const why =
    holders.length > 0
      ? `${keyWords(missed)} stays with ${[...new Set(holders)].join(' and ')}`
      : `${at || 'another layer of the configuration'} decides over it`;
  return `Saved in config.toml, but ${id} has ${keyWords(now.keys)}: ${why}.`;
}

export function takenWords(rivals: readonly KeyBinding[], strokes: string): string {
  const isSame = rivals.some(({ keys }) => keys.includes(strokes));
  return isSame ? `${shownKey(strokes)} is a key of` : `${shownKey(strokes)} begins like a key of`;
}
