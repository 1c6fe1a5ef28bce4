import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { helpOption } from '../../src/surfaces/views/command-line/command.ts';
import { allCommands } from '../../src/surfaces/views/command-line/command-group.ts';
import { commandTable } from '../../src/surfaces/cli/table/command-table.ts';
import { parseCommand } from '../../src/surfaces/views/command-line/run-command.ts';
import { listCommand } from '../../src/surfaces/cli/table/threads-read-commands.ts';
import { pages, readPage, root, shellBlocks } from './pages.ts';

const commands = allCommands(commandTable);

/** Options of other programs, and of the bench, that the pages name. */
const others = new Set([
  '--jinja',
  '--enable-auto-tool-choice',
  '--tool-call-parser',
  '--prefix',
  '--loglevel',
  '--part',
  '--no-pager',
  '--strategy',
  '--dirty',
]);

/** The commands in blocks for a shell, without what is said about them. */
function examplesIn(page: string): readonly string[] {
  return shellBlocks(page)
    .flatMap(({ code }) => code.split('\n'))
    .flatMap((line) => {
      const [, typed] = /^(?:.* \| )?(?:capstan|npm start --) (.*)$/.exec(line.replace(/\s+#.*$/, '')) ?? [];
      return typed === undefined ? [] : [typed.replace(/ [|<>].*$/, '')];
    });
}

/** As a shell takes a line apart, as far as the pages need it. */
function wordsIn(line: string): readonly string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  );
}

/** The problem that the command finds in the words, or that there is no such command. */
function problemIn(words: readonly string[]): unknown {
  const [first = '', second = ''] = words;
  if (first === '--version' || first === 'help') return undefined;
  const group = commandTable.commands[first];
  if (group === undefined) return `no command ${first}`;
  const row = 'commands' in group ? group.commands[second] : group;
  if (row === undefined || 'commands' in row) return `no command ${first} ${second}`;
  const parsed = parseCommand(row.command, words.slice('commands' in group ? 2 : 1));
  return typeof parsed === 'object' && 'code' in parsed ? parsed.message : undefined;
}

const examples = pages.flatMap((page) => examplesIn(page).map((line) => [page, line] as const));

describe('the pages', () => {
  it('have examples', () => {
    expect(examples.length).toBeGreaterThan(40);
  });

  it.each(examples.filter(([, line]) => !/[[…]/.test(line)))('%s: capstan %s is a command line', (_, line) => {
    expect(problemIn(wordsIn(line))).toBeUndefined();
  });

  const withGaps = examples.filter(([, line]) => /[[…]/.test(line));
  const inSentences = pages.flatMap((page) =>
    [...readPage(page).matchAll(/`capstan (?!(?:e|help|COMMAND)\b)([^`\n|]+)[^`\n]*`/g)].map(
      ([, line = '']) => [page, line] as const,
    ),
  );

  it.each([...withGaps, ...inSentences])('%s: capstan %s names options of that command', (_, line) => {
    const named = line.match(/(?<![\w-])--?[a-z][\w-]*/gi) ?? [];
    const command = commands.find(({ name }) => `${line} `.startsWith(`${name} `));
    expect(command).toBeDefined();
    const known = Object.values(command?.options ?? {}).flatMap(({ names }) => names);
    expect(known).toEqual(expect.arrayContaining(named));
  });

  it.each(pages)('%s names no option that no command has', (page) => {
    const known = new Set([
      ...commands.flatMap(({ options }) => Object.values(options).flatMap(({ names }) => names)),
      ...helpOption.names,
      '--version',
    ]);
    const codes = [...readPage(page).matchAll(/`([^`\n]+)`/g)].map(([, code]) => code ?? '');
    const named = codes.flatMap((code) => code.match(/(?<![\w-])--[a-z][\w-]*/g) ?? []);
    expect(named.filter((option) => !known.has(option) && !others.has(option))).toEqual([]);
  });

  it('that messages cite come with the package', () => {
    const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
    const sources = files
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(join(root, 'src', name), 'utf8'));
    const cited = sources.flatMap((source) => source.match(/docs\/[a-z-]+\.md/g) ?? []);
    expect(cited).not.toEqual([]);
    expect(cited.filter((page) => !pages.includes(page))).toEqual([]);
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { files: readonly string[] };
    expect(manifest.files).toContain('docs/*.md');
  });

  it('docs/list-threads.md lists the options of lists', () => {
    const rows = [...readPage('docs/list-threads.md').matchAll(/^\| (`-.*?`) \|/gm)].map(([, row]) => row ?? '');
    const listed = rows.flatMap((row) => row.match(/(?<![\w-])--?[a-z][\w-]*/gi) ?? []);
    expect(listed.toSorted()).toEqual(
      Object.values(listCommand.options)
        .flatMap(({ names }) => names)
        .toSorted(),
    );
  });
});
