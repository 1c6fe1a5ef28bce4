import { describe, expect, test } from 'vitest';
import { keyPress } from '../terminal/terminal-port.ts';
import { ChordKeys, contextsOf, defaultKeyMap, type KeyGroup, keyHint, mapKeyPress, shownKeys } from './key-map.ts';
import { defaultKeys, keyActions } from './key-actions.ts';
import { parseStrokes, shownKey } from './key-names.ts';
import { parseKeyMap } from './read-key-map.ts';

const groups = ['composer', 'list', 'pager', 'approval', 'editor'] as const satisfies readonly KeyGroup[];

function meant(keymap: Parameters<typeof parseKeyMap>[0], group: KeyGroup, name: string): string {
  const { map, problems } = parseKeyMap(keymap);
  expect(problems).toEqual([]);
  return mapKeyPress(map, group, { kind: 'key', name, text: '' }).name;
}

describe('names of keys', () => {
  test.each([
    ['ctrl-x', 'ctrl+x'],
    ['ctrl+x', 'ctrl+x'],
    ['shift-ctrl-alt-left', 'ctrl+alt+shift+left'],
    ['Ctrl-X', 'ctrl+x'],
    ['alt-shift-o', 'alt+O'],
    ['page-up', 'pageup'],
    ['esc', 'escape'],
    ['alt-minus', 'alt+-'],
    ['ctrl--', 'ctrl+-'],
    ['f24', 'f24'],
    ['ctrl-x ctrl-t', 'ctrl+x ctrl+t'],
    ['?', '?'],
    ['ctrl-shift-a', undefined],
    ['f25', undefined],
    ['hyper-x', undefined],
    ['', undefined],
    ['a b c', undefined],
  ])('%s', (written, read) => {
    expect(parseStrokes(written)).toBe(read);
  });

  test('are shown as users write them', () => {
    expect(['ctrl+x ctrl+t', 'escape', 'pageup', 'alt+,', ','].map((each) => shownKey(each))).toEqual([
      'ctrl+x ctrl+t',
      'esc',
      'page up',
      'alt+comma',
      ',',
    ]);
  });
});

describe('the default keys', () => {
  test('have one meaning in each place', () => {
    for (const group of groups) {
      for (const context of contextsOf[group]) {
        const keys = keyActions.filter((each) => each.context === context).flatMap((each) => defaultKeys(each));
        expect(new Set(keys).size).toBe(keys.length);
      }
    }
    const ofComposer = keyActions
      .filter(({ context }) => contextsOf.composer.includes(context))
      .flatMap((each) => defaultKeys(each));
    expect(new Set(ofComposer).size).toBe(ofComposer.length);
  });

  test('go through as they are', () => {
    for (const group of groups) {
      for (const [name, action] of defaultKeyMap.byKey[group]) {
        const press = { kind: 'key', name, text: '' } as const;
        const { keys, more = [] } = action;
        expect(mapKeyPress(defaultKeyMap, group, press).name).toBe(more.includes(name) ? keys[0] : name);
      }
    }
  });
});

describe('a key map of the user', () => {
  test('takes the old key away', () => {
    const keymap = { composer: { submit: 'ctrl-enter', queue: ['f5', 'f6'], history_search_previous: [] } };
    expect(
      ['enter', 'ctrl+enter', 'tab', 'f5', 'f6', 'ctrl+r', 'ctrl+w'].map((key) => meant(keymap, 'composer', key)),
    ).toEqual(['unbound', 'enter', 'unbound', 'tab', 'tab', 'unbound', 'ctrl+w']);
  });

  test('without keys for an action leaves none of its old ones', () => {
    const keymap = { chat: { edit_queued_message: [], interrupt_turn: 'f7' } };
    expect(['alt+up', 'shift+left', 'escape', 'f7'].map((key) => meant(keymap, 'composer', key))).toEqual([
      'unbound',
      'unbound',
      'unbound',
      'escape',
    ]);
  });

  test('displaces a default', () => {
    const keymap = { global: { open_transcript: 'ctrl-y' } };
    expect(['ctrl+y', 'ctrl+t'].map((key) => meant(keymap, 'composer', key))).toEqual(['ctrl+t', 'unbound']);
    expect(shownKeys(parseKeyMap(keymap).map, 'editor.yank')).toEqual([]);
    expect(meant(keymap, 'pager', 'ctrl+t')).toBe('ctrl+t');
  });

  test('says in global what holds in each context that says nothing else', () => {
    const keymap = { global: { move_up: 'ctrl-o' }, list: { move_up: 'u' } };
    expect(meant(keymap, 'composer', 'ctrl+o')).toBe('up');
    expect(meant(keymap, 'list', 'ctrl+o')).toBe('ctrl+o');
    expect(meant(keymap, 'list', 'u')).toBe('up');
    expect(meant(keymap, 'approval', 'u')).toBe('up');
  });

  test('has to name each key once, also in global', () => {
    const { map, problems } = parseKeyMap({ global: { open_transcript: 'f7' }, chat: { edit_queued_message: 'f7' } });
    expect(problems.map(({ message }) => message)).toEqual([
      'tui.keymap.chat.edit_queued_message and tui.keymap.global.open_transcript both have f7. Capstan keeps the default keys',
    ]);
    expect(map).toEqual(defaultKeyMap);
  });

  test('has to name each key once', () => {
    const { map, problems } = parseKeyMap({ chat: { interrupt_turn: 'f7' }, editor: { yank: ['f7', 'f8'] } });
    expect(problems).toEqual([
      {
        code: 'key-map',
        message:
          'tui.keymap.chat.interrupt_turn and tui.keymap.editor.yank both have f7. Capstan keeps the default keys',
        next: 'Take it out of one of them.',
      },
    ]);
    expect(map).toEqual(defaultKeyMap);
  });

  test('cannot have a chord behind a key that does something', () => {
    const { problems } = parseKeyMap({ global: { open_transcript: 'f7 t', open_details: 'f7' } });
    expect(problems.map(({ message }) => message)).toEqual([
      'tui.keymap.global.open_transcript and tui.keymap.global.open_details both have f7 t. Capstan keeps the default keys',
    ]);
  });

  test.each([
    [{ chat: { interrupt_turn: 'ctrl-c' } }, 'tui.keymap.chat.interrupt_turn has ctrl+c, which is fixed'],
    [{ chat: { interrupt_turn: 'shift-tab' } }, 'tui.keymap.chat.interrupt_turn has shift+tab, which is fixed'],
    [{ chat: { interrupt_turn: 'x' } }, 'tui.keymap.chat.interrupt_turn has x, which types a character'],
    [{ chat: { interrupt_turn: 'ctrl-shift-a' } }, 'has "ctrl-shift-a", which no terminal reports'],
    [{ chat: { interrupt_turn: 5 } }, 'is neither a key nor a list of keys'],
    [{ chat: { fly: 'f7' } }, 'tui.keymap.chat.fly is no action'],
    [{ moon: { fly: 'f7' } }, 'tui.keymap.moon is no context of keys'],
    [{ chat: 'f7' }, 'tui.keymap.chat is no table'],
    ['f7', 'tui.keymap is no table'],
  ])('%j is reported, and the default stays', (keymap, message) => {
    const { map, problems } = parseKeyMap(keymap);
    expect(problems.map((problem) => problem.message).join()).toContain(message);
    expect(map).toEqual(defaultKeyMap);
  });

  test('is reported with the file and the line of each place', () => {
    const at = (path: readonly string[]): string => `config.toml:${path.join().length}`;
    const { problems } = parseKeyMap(
      { chat: { interrupt_turn: ['f7', 'ctrl-c'], fly: 'f8' }, list: { accept: 'f7' } },
      at,
    );
    expect(problems.map(({ message }) => message)).toEqual([
      'config.toml:19: tui.keymap.chat.fly is no action. Capstan keeps the default keys',
      'config.toml:30: tui.keymap.chat.interrupt_turn has ctrl+c, which is fixed: it clears the draft; with an empty draft it interrupts, or quits. Capstan keeps the default keys',
    ]);
    const twice = parseKeyMap({ chat: { interrupt_turn: 'f7' }, editor: { yank: 'f7' } }, at);
    expect(twice.problems.map(({ message }) => message)).toEqual([
      'config.toml:30: tui.keymap.chat.interrupt_turn and config.toml:22: tui.keymap.editor.yank both have f7. Capstan keeps the default keys',
    ]);
  });

  test('gives hints their keys', () => {
    const { map } = parseKeyMap({ chat: { interrupt_turn: 'f7', edit_queued_message: [] } });
    const hint = (id: string) => keyHint({ keys: map }, id, (key) => `${key} does it`);
    expect([hint('chat.interrupt_turn'), hint('chat.edit_queued_message')]).toEqual(['f7 does it', '']);
    expect(keyHint({}, 'chat.interrupt_turn', (key) => key)).toBe('esc');
  });
});

describe('a chord', () => {
  const { map } = parseKeyMap({ global: { open_transcript: 'ctrl-x t' } });
  let now = 0;
  const press = (keys: ChordKeys, name: string) =>
    keys.press(map, 'composer', keyPress(name.replace('ctrl+', ''), { ctrl: name.startsWith('ctrl+') }));

  test('is two keys within a second', () => {
    const keys = new ChordKeys(() => now);
    expect(press(keys, 'ctrl+x')).toBeUndefined();
    expect(keys.pending).toBe('ctrl+x');
    now += 1000;
    expect(press(keys, 't')).toEqual({ kind: 'key', name: 'ctrl+t', text: '' });
    expect(keys.pending).toBeUndefined();
  });

  test('ends with time, with Esc and with another key, which counts', () => {
    const keys = new ChordKeys(() => now);
    press(keys, 'ctrl+x');
    now += 1001;
    expect(keys.pending).toBeUndefined();
    expect(press(keys, 't')).toEqual(keyPress('t'));
    press(keys, 'ctrl+x');
    expect(press(keys, 'escape')).toBeUndefined();
    expect(press(keys, 'escape')).toEqual(keyPress('escape'));
    press(keys, 'ctrl+x');
    expect(press(keys, 'a')).toEqual(keyPress('a'));
  });
});
