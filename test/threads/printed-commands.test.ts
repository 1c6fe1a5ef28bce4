import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { allCommands } from '../../src/surfaces/views/command-line/command-group.ts';
import { commandTable } from '../../src/surfaces/cli/table/command-table.ts';
import { answer, callTool, type ScriptedModel, startScriptedModel } from '../../src/testing/index.ts';
import { says, saysLong, talk, task } from '../compaction/talk.ts';
import { Place } from '../harness/run-capstan.ts';
import { threadId } from '../harness/scene.ts';

const src = join(import.meta.dirname, '../../src');

/** Between backquotes, or at the end of a line after a colon. */
const pattern = /\\?`(capstan [^`\\\n]+)\\?`|: (capstan [^`'\n]+?)(?=\\n|[`',]|$)/gm;

/** The messages in the tables of commands: about a word that is missing, and about one that is refused. */
function messagesInTables(): string {
  const messages = allCommands(commandTable).flatMap(({ words = [], variants = {}, refuses = {}, surplus = '' }) => [
    ...[...words, ...Object.values(variants).flat()].map(({ missing = '' }) => missing),
    ...Object.values(refuses).flatMap(({ message, next = '' }) => [message, next]),
    surplus,
  ]);
  return messages.join('\n');
}

/** Help texts and lines that are put together there. */
const tables = /surfaces\/(?:cli\/(?:table\/|[\w-]+\.ts$|commands\/help\.ts$)|views\/command-line\/)/;

/** Every command that a message names, with the expressions in it. Help texts show forms, which are no messages. */
function namedCommands(): ReadonlyMap<string, string> {
  const forms = allCommands(commandTable)
    .map(({ notes = '' }) => notes)
    .join('\n');
  const named = new Map<string, string>();
  for (const [, quoted] of messagesInTables().matchAll(pattern))
    if (quoted) named.set(quoted, 'the tables of commands');
  for (const name of readdirSync(src, { recursive: true, encoding: 'utf8' })) {
    if (
      !name.endsWith('.ts') ||
      name.endsWith('.test.ts') ||
      /(?:options|welcome)\.ts$/.test(name) ||
      tables.test(name)
    )
      continue;
    const text = readFileSync(join(src, name), 'utf8').replaceAll(/\/\*\*[^]*?\*\/|^\s*\/\/.*$/gm, '');
    for (const [whole, quoted, plain] of text.matchAll(pattern)) {
      const command = (quoted ?? plain)!.trim();
      const isForm = forms.includes(whole.replaceAll('\\', '')) || command === 'capstan threads COMMAND --help';
      if (!isForm && !command.startsWith('capstan ${')) named.set(command, name);
    }
  }
  return named;
}

const patch = '*** Begin Patch\n*** Add File: made.txt\n+made\n*** End Patch\n';
const patches = answer({ items: [callTool('apply_patch', { input: patch })], usage: 'none' });
let model: ScriptedModel;
let place: Place;
let id: string;
/** The copy of the folders from when the thread was made. */
let kept: string;

/** A thread with two turns, a file that was changed, a checkpoint and a note. */
beforeAll(async () => {
  model = await startScriptedModel(talk([saysLong(), patches, says('Done.')]));
  place = new Place(model.url);
  kept = `${place.root}-kept`;
  id = threadId(await place.run('exec', '--json', task));
  await place.run('exec', 'resume', id, 'Write the file.');
  await place.run('threads', 'pin', id, 'Never touch the lock file.');
  cpSync(place.root, kept, { recursive: true, preserveTimestamps: true });
});
afterAll(async () => {
  place.remove();
  rmSync(kept, { recursive: true, force: true });
  await model.close();
});

/** The thread as it was made, whatever the command before has done to it. */
function restore(): void {
  place.remove();
  cpSync(kept, place.root, { recursive: true, preserveTimestamps: true });
}

/** Commands that must have run before the user is asked to run this one. */
const before: readonly [RegExp, readonly (readonly string[])[]][] = [
  [/^threads undo-rollback/, [['threads', 'rollback', 'ID', '--turns', '1']]],
  [/^threads restore \S+ --undo/, [['threads', 'rollback', 'ID', '--turns', '1', '--files']]],
  [/^threads unarchive/, [['threads', 'archive', 'ID']]],
  [/^mcp get/, [['mcp', 'add', '1', '--', 'true']]],
  [/--(?:before-)?checkpoint/, [['threads', 'compact', 'ID']]],
];

/** They change nothing: one thread serves all of them. */
const reads = /^(?:threads (?:show|pins|files|list|export)|config|context|envelope|replay)\b|--help$/;

/** A person answers: at a terminal (test/threads/unanswered.test.ts, test/deep/tui.test.ts), or on the page of a server (test/mcp, test/exec/login.test.ts). */
const asksPerson =
  /--approvals ask$|^capstan (?:--sandbox-fallback landlock$|resume |mcp login |login(?:$| --device-auth| --with-))/;

const named = [...namedCommands()]
  .map(([command, file]) => ({ command, file }))
  .filter(({ command }) => !asksPerson.test(command));
const [readers, others] = [true, false].map((isReader) =>
  named.filter(
    ({ command }) => (reads.test(command.replace('capstan ', '')) && !/--checkpoint/.test(command)) === isReader,
  ),
) as [typeof named, typeof named];

async function expectToRun(command: string): Promise<void> {
  // A placeholder in capitals is a form, and nothing that can be pasted.
  expect(command).not.toMatch(/ [A-Z]{2,}/);
  const filled = command
    .replaceAll(/\$\{(?:\w+\.)?(?:\w*[iI]d|thread)\}/g, id)
    .replaceAll('sandbox ${nearest}', 'sandbox check')
    .replaceAll('--provider ${provider}', '--provider scripted')
    .replaceAll(/"\$\{[^}]+\}"/g, '"Continue."')
    .replaceAll(/(?<= )\$\{[^}]+\}/g, '1')
    // The rest is another sentence.
    .replaceAll(/\$\{[^}]+\}/g, '');
  const words = [...filled.matchAll(/"([^"]*)"|(\S+)/g)].slice(1).map(([, quoted, plain]) => quoted ?? plain!);
  for (const [wanted, needed] of before) {
    if (!wanted.test(words.join(' '))) continue;
    for (const each of needed) {
      const ran = await place.run(...each.map((word) => (word === 'ID' ? id : word)));
      expect([each, ran.code]).toEqual([each, 0]);
    }
  }
  const { code, stderr } = await place.run(...words);
  expect({ words, code, stderr: code === 0 ? '' : stderr }).toEqual({ words, code: 0, stderr: '' });
}

test('every command that a message names to look at something runs as it is printed', async () => {
  for (const { command } of readers) await expectToRun(command);
  expect(readers.length).toBeGreaterThan(10);
});

test.each(others)('`$command` of $file runs as it is printed', async ({ command }) => {
  restore();
  await expectToRun(command);
});
