import { actionId } from '../keys/key-action.ts';
import { fixedKeys } from '../keys/key-actions.ts';
import { defaultKeyMap, type KeyBinding } from '../keys/key-map.ts';
import { shownKey } from '../keys/key-name.ts';
import { KeyDebugView } from '../views/key-debug-view.ts';
import { type ListItem, ListView } from '../views/list-view.ts';
import type { CommandSession } from './command-session.ts';

/** `/keymap`: all that keys do, with the keys and where each is bound. `debug`: what the terminal sends. */
export function keymap(session: CommandSession, rest: string): void {
  const { stage, engine } = session.parts;
  const close = (): void => stage.open(undefined);
  if (rest === 'debug')
    return stage.open(new KeyDebugView({ now: () => session.parts.now(), draw: () => stage.draw(), close }));
  if (rest !== '') return session.notice('/keymap lists the keys, /keymap debug shows what the terminal sends.');
  const { keys = defaultKeyMap } = stage.look;
  const fixed = Object.entries(fixedKeys).map(([key, does]): ListItem => ({
    label: shownKey(key),
    about: `fixed: ${does}`,
  }));
  const pick = (index: number): void => {
    const binding = keys.bindings[index];
    close();
    session.notice(
      binding === undefined ? 'This key cannot be bound to anything else.' : howToBind(binding, engine.home),
    );
  };
  stage.open(
    new ListView({
      title: 'Keys',
      items: [...keys.bindings.map(itemOf), ...fixed],
      isSearched: true,
      hint: (key) => `Type to search, ${key('Enter')} says how to bind other keys, ${key('Esc')} goes back`,
      pick,
      close,
    }),
  );
}

/** So many keys stand in the column of keys, the others behind what they do. */
const mostKeys = 2;

function itemOf({ action, keys, boundAt }: KeyBinding): ListItem {
  const names = keys.map((key) => shownKey(key));
  const label = names.length === 0 ? 'no key' : names.slice(0, mostKeys).join(', ');
  const source = boundAt === undefined ? '' : ' (config.toml)';
  const also = names.length > mostKeys ? `; also ${names.slice(mostKeys).join(', ')}` : '';
  return { label, about: `${actionId(action)}${source}: ${action.does}${also}` };
}

function howToBind({ action, boundAt }: KeyBinding, home: string): string {
  const { context, name } = action;
  const source = boundAt === undefined ? 'has its default keys' : `is bound by ${boundAt} of config.toml`;
  return [
    `${actionId(action)} ${source}.`,
    `Put one of these lines into ${home}/config.toml, and start Capstan again:`,
    '',
    `[tui.keymap.${context}]`,
    `${name} = "ctrl-x"             # one key`,
    `${name} = ["ctrl-x", "f5"]     # several`,
    `${name} = "ctrl-x ctrl-t"      # two, one after the other`,
    `${name} = []                   # none`,
  ].join('\n');
}
