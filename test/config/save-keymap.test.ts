import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Place } from '../harness/run-capstan.ts';
import { placeEngine } from '../harness/place-engine.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';

function placeWith(config: string): Place & { readonly config: string } {
  const place = new Place('http://127.0.0.1:9');
  whenTestEnds(() => place.remove());
  const path = join(place.home, 'config.toml');
  writeFileSync(path, config);
  return Object.assign(place, { config: path });
}

const own = `# Mine.
[tui.keymap.chat] # of the conversation
interrupt_turn = [
  "f7",
] # far away
scroll_up = "f8"

# Not about keys.
[tui]
theme = "dark"
`;

test('lines of the key map are saved where they stand, hold at once, and have a source', async () => {
  const place = placeWith(own);
  const engine = await placeEngine(place);
  const lines = [
    { context: 'chat', name: 'interrupt_turn', keys: ['f9', 'ctrl-x t'] },
    { context: 'chat', name: 'scroll_up', keys: undefined },
    { context: 'composer', name: 'queue', keys: [] },
  ];
  expect(await engine.config.saveKeymap(lines)).toBeUndefined();
  expect(readFileSync(place.config, 'utf8')).toBe(`# Mine.
[tui.keymap.chat] # of the conversation
interrupt_turn = ["f9", "ctrl-x t"] # far away

# Not about keys.
[tui]
theme = "dark"

[tui.keymap.composer]
queue = []
`);
  expect(engine.config.tui.keymap).toEqual({ chat: { interrupt_turn: ['f9', 'ctrl-x t'] }, composer: { queue: [] } });
  expect(engine.config.sourceOf(['tui', 'keymap', 'composer', 'queue'])).toBe(`${place.config}:10`);
  await engine.close();
});

test('what a flag says stays over the file, and a file that cannot be changed is left alone', async () => {
  const place = placeWith('[tui]\nkeymap.chat.interrupt_turn = "f7"\n');
  const overrides = ['tui.keymap.composer.queue="f2"'];
  const engine = await placeEngine(place, { config: overrides });
  expect(await engine.config.saveKeymap([{ context: 'composer', name: 'queue', keys: ['f5'] }])).toBeUndefined();
  expect(engine.config.tui.keymap).toEqual({ chat: { interrupt_turn: 'f7' }, composer: { queue: 'f2' } });
  const before = readFileSync(place.config, 'utf8');
  const problem = await engine.config.saveKeymap([{ context: 'chat', name: 'interrupt_turn', keys: ['f5'] }]);
  expect([problem?.code, problem?.next]).toEqual([
    'config-unwritten',
    'On line 2, in place of what is there, write: keymap.chat.interrupt_turn = "f5"',
  ]);
  expect(readFileSync(place.config, 'utf8')).toBe(before);
  await engine.close();
});

test('while the file cannot be read, the keys that it had still hold', async () => {
  const place = placeWith('[tui.keymap.chat]\ninterrupt_turn = "f7"\n');
  const engine = await placeEngine(place);
  writeFileSync(place.config, '[tui.keymap.chat\ninterrupt_turn = "f7"\n');
  const problem = await engine.config.saveKeymap([{ context: 'composer', name: 'queue', keys: ['f5'] }]);
  expect([problem?.message, problem?.next]).toEqual([
    `${place.config} was not changed: it is not valid TOML.`,
    'Correct line 1, then try again.',
  ]);
  expect(engine.config.tui.keymap).toEqual({ chat: { interrupt_turn: 'f7' } });
  await engine.close();
});

test('a table that Capstan made goes with its last line', async () => {
  const place = placeWith('model = "m"\n');
  const engine = await placeEngine(place);
  const save = (keys: readonly string[] | undefined) =>
    engine.config.saveKeymap([{ context: 'editor', name: 'undo', keys }]);
  expect([await save(['f5']), await save(undefined)]).toEqual([undefined, undefined]);
  expect(readFileSync(place.config, 'utf8')).toBe('model = "m"\n');
  await engine.close();
});

test('a table around it between braces gets the keys there', async () => {
  const place = placeWith('tui = { theme = "dark" }\n');
  const engine = await placeEngine(place);
  const problem = await engine.config.saveKeymap([{ context: 'global', name: 'copy', keys: ['alt-j'] }]);
  expect(problem?.next).toBe('In the braces on line 1, write: keymap.global.copy = "alt-j"');
  await engine.close();
});

test('a folder, and a file that its owner closed, are left alone, with what to do', async () => {
  const place = placeWith('model = "m"\n');
  const engine = await placeEngine(place);
  const save = async () => {
    const problem = await engine.config.saveKeymap([{ context: 'global', name: 'copy', keys: ['alt-j'] }]);
    return [problem?.message.replace(`${place.config} was not changed: `, ''), problem?.next];
  };
  chmodSync(place.config, 0o444);
  const make = (what: string): string => `Make ${place.config} ${what} for you, then try again.`;
  expect(await save()).toEqual(['it is read-only.', make('writable')]);
  chmodSync(place.config, 0);
  expect(await save()).toEqual(['it may not be read.', make('readable and writable')]);
  chmodSync(place.config, 0o600);
  expect(readFileSync(place.config, 'utf8')).toBe('model = "m"\n');
  rmSync(place.config);
  mkdirSync(place.config);
  expect(await save()).toEqual(['it is a folder.', 'Move that folder away, then try again.']);
  await engine.close();
});
