import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../../protocol/json.ts';
import { keymapChangeLines, type KeyChange, legacyKeyStroke } from './keymap-editor.ts';
import { actionId, defaultKeys, keyActions } from '../../screen/keys/key-actions.ts';
import type { KeyBinding } from '../../screen/keys/key-map.ts';
import { parseStrokes, strokesForConfig } from '../../screen/keys/key-names.ts';
import { conflictingBindings, parseKeyMap, unfitKey } from '../../screen/keys/read-key-map.ts';

type Written = Readonly<Record<string, Readonly<Record<string, Json>>>>;

function binding(keymap: Written, id: string): KeyBinding {
  return parseKeyMap(keymap).map.bindings.find(({ action }) => actionId(action) === id)!;
}

/** The configuration after the change. */
function changed(keymap: Written, id: string, change: KeyChange): Written {
  const { map } = parseKeyMap(keymap);
  const { action } = binding(keymap, id);
  const isInGlobal = keymap['global']?.[action.name] !== undefined;
  const next: Record<string, JsonObject> = { ...keymap };
  for (const { context, name, keys } of keymapChangeLines(map, binding(keymap, id), change, isInGlobal)) {
    const { [name]: _, ...others } = next[context] ?? {};
    next[context] = keys === undefined ? others : { ...others, [name]: [...keys] };
  }
  return next as Written;
}

describe('a change of keys', () => {
  test.each<[Written, string, KeyChange, readonly string[]]>([
    [{}, 'composer.queue', { kind: 'replace', strokes: 'f5' }, ['f5']],
    [{}, 'composer.queue', { kind: 'add', strokes: 'alt+x pageup' }, ['tab', 'alt+x pageup']],
    [{ composer: { queue: ['f5', 'f6'] } }, 'composer.queue', { kind: 'remove', strokes: 'f5' }, ['f6']],
    [{ composer: { queue: 'f5' } }, 'composer.queue', { kind: 'unbind' }, []],
    [{ composer: { queue: 'f5' } }, 'composer.queue', { kind: 'default' }, ['tab']],
    [{ global: { queue: 'f5' } }, 'composer.queue', { kind: 'default' }, ['tab']],
    [{ global: { move_up: 'f5' } }, 'editor.move_up', { kind: 'replace', strokes: 'f6' }, ['f6']],
    // A chord begins with a key that did the same.
    [{ composer: { queue: 'f5' } }, 'composer.queue', { kind: 'add', strokes: 'f5 x' }, ['f5 x']],
  ])('%j %s %j', (keymap, id, change, keys) => {
    const next = changed(keymap, id, change);
    const { problems } = parseKeyMap(next);
    expect([problems, binding(next, id).keys]).toEqual([[], keys]);
  });

  test('takes the key from the action that has it, by default or by a file', () => {
    const mine = changed({ chat: { interrupt_turn: ['f5', 'f6'] } }, 'editor.yank', { kind: 'replace', strokes: 'f5' });
    expect(parseKeyMap(mine).problems).toEqual([]);
    expect([binding(mine, 'chat.interrupt_turn').keys, binding(mine, 'editor.yank').keys]).toEqual([['f6'], ['f5']]);
    const usual = changed({}, 'editor.yank', { kind: 'replace', strokes: 'ctrl+w' });
    expect(parseKeyMap(usual).problems).toEqual([]);
    expect(binding(usual, 'editor.delete_backward_word').keys).not.toContain('ctrl+w');
    expect(Object.keys(usual)).toEqual(['editor']);
  });

  test('holds whatever is bound to what, and leaves a key map without a problem', () => {
    for (const { action } of parseKeyMap({}).map.bindings) {
      for (const strokes of ['f5', 'ctrl+x', 'ctrl+x y', 'enter', 'ctrl+w']) {
        if (unfitKey(strokes, action) !== undefined) continue;
        const next = changed({ list: { accept: 'f5' }, chat: { scroll_up: ['f5', 'ctrl+x y'] } }, actionId(action), {
          kind: 'replace',
          strokes,
        });
        expect([parseKeyMap(next).problems, binding(next, actionId(action)).keys]).toEqual([[], [strokes]]);
      }
    }
  });
});

test('a conflict names the actions of the same place alone', () => {
  const { map } = parseKeyMap({});
  const { action } = binding({}, 'composer.queue');
  const rivals = (strokes: string) => conflictingBindings(map, action, strokes).map((each) => actionId(each.action));
  expect([rivals('enter'), rivals('ctrl+w x'), rivals('tab'), rivals('q')]).toEqual([
    ['composer.submit'],
    ['editor.delete_backward_word'],
    [],
    [],
  ]);
});

test('every key is read as it is written', () => {
  const all = keyActions.flatMap((action) => defaultKeys(action));
  for (const strokes of [...all, 'ctrl+x ctrl+-', '-', 'alt++', 'ctrl+alt+shift+pageup', 'space'])
    expect(parseStrokes(strokesForConfig(strokes))).toBe(strokes);
});

test.each([
  ['ctrl+enter', 'enter'],
  ['shift+enter', 'enter'],
  ['alt+enter', undefined],
  ['ctrl+alt+enter', 'alt+enter'],
  ['shift+tab', undefined],
  ['ctrl+tab', 'tab'],
  ['ctrl+i', 'tab'],
  ['ctrl+m', 'enter'],
  ['ctrl+/', 'ctrl+_'],
  ['ctrl+,', ','],
  ['ctrl+x', undefined],
  ['ctrl+left', undefined],
  ['ctrl+space', undefined],
  ['f5', undefined],
  ['A', undefined],
])('without a protocol %s is sent as %s', (stroke, sent) => {
  expect(legacyKeyStroke(stroke)).toBe(sent);
});
