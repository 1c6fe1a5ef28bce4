import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type SlashCommand, slashCommands } from '../../../src/surfaces/tui/commands/slash-commands.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/terminal.md'), 'utf8');
const all: readonly SlashCommand[] = slashCommands;

describe('the table of commands', () => {
  // That each has an action is checked by the compiler: see `runSlash`.
  it.each(all.filter(({ isAlias }) => isAlias !== true))('/$name has a row in the documentation', ({ name, takes }) => {
    const written = takes === undefined ? `/${name}` : `/${name} ${takes}`;
    expect(page).toContain(`\n| \`${written.replaceAll('|', '\\|')}\` |`);
  });

  it('has each name once, and says what each does in a few words', () => {
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
    expect(all.filter(({ does }) => does.length === 0 || does.length > 60 || /[.]$/.test(does))).toEqual([]);
  });
});
