import { homedir } from 'node:os';
import { isJsonObject } from '../../protocol/json.ts';
import type { CommandGroup, CommandWork } from '../commands/command-group.ts';
import type { completeCommand } from '../commands/other-commands.ts';
import { currentFolder } from '../terminal/current-folder.ts';
import { lostAsValue } from '../terminal/lost-as-value.ts';
import { print } from '../terminal/print.ts';
import { fit } from '../terminal/text-width.ts';
import { visibleLine } from '../terminal/visible-text.ts';
import { type OfferedWord, type Offers, offersFor } from './offers.ts';

/** A shell shows no more than that on a screen, and the user waits for it. */
const mostThreads = 50;
const longestPreview = 50;

/** Names that no shell takes for anything but a word. A thread with another name is offered by its id. */
const plainName = /^\w[\w.@%+,/-]*$/;

/**
 * `capstan complete SHELL`, which the scripts of the shells ask: the first line says what the shell itself is to offer,
 * and behind a tab what stands before that in the current word; each other line is a word, a tab, and what it is about.
 * Reports no problem: the shell would show it in the middle of what the user types.
 */
export function completeFor(table: CommandGroup): CommandWork<typeof completeCommand> {
  return {
    async run({ words: [shell = '', ...given] }) {
      const { typed, kept } = shell === 'bash' ? wordsOfBash(given) : { typed: given.slice(1), kept: undefined };
      const offers = offersFor(table, typed);
      const { source = 'words', attached = '' } = offers;
      const all = [...offers.words, ...(await wordsFrom(source))].map((each) => ({
        ...each,
        word: attached + each.word,
      }));
      const shown = kept === undefined ? all : completionsOf(typed.at(-1) ?? '', kept, all);
      const lines = [[source, attached], ...shown.map(({ word, does = '' }) => [word, does])];
      print(lines.map((line) => `${line.join('\t')}\n`).join(''), 'text');
      return 0;
    },
  };
}

/** Loads what is needed for them alone: most words are in the table of commands. */
async function wordsFrom(source: Offers['source'] | 'words'): Promise<readonly OfferedWord[]> {
  const found = source === 'threads' ? storedThreads : source === 'profiles' ? profiles : () => [];
  const words = await lostAsValue(async () => found());
  return 'code' in words ? [] : words;
}

async function storedThreads(): Promise<readonly OfferedWord[]> {
  const { StoredThreads } = await import('../engine/stored-threads.ts');
  const stored = StoredThreads.in(process.env, homedir());
  if ('code' in stored) return [];
  const page = await stored.list({ limit: mostThreads, sort: 'updated' });
  if ('code' in page) return [];
  return page.threads.flatMap(({ id, name = '', preview }) => {
    const about = fit(visibleLine(preview), longestPreview);
    if (plainName.test(name))
      return [
        { word: name, does: about },
        { word: id, does: name },
      ];
    return [{ word: id, does: name === '' ? about : visibleLine(name) }];
  });
}

async function profiles(): Promise<readonly OfferedWord[]> {
  const here = currentFolder();
  if ('code' in here) return [];
  const { loadConfigured } = await import('../engine/configured.ts');
  const configured = await loadConfigured(here.path, { env: process.env, osHome: homedir(), cwd: here.path });
  if ('code' in configured) return [];
  const { permissions } = configured.effective.values;
  const names = isJsonObject(permissions) ? Object.keys(permissions).filter((name) => plainName.test(name)) : [];
  return names.map((word) => ({ word }));
}

/**
 * Bash makes words of colons and equal signs and replaces only what is behind them, so it gives the line up to the
 * cursor, and what it will replace. `kept`: how much of the last word stays.
 */
function wordsOfBash([line = '', replaced = '']: readonly string[]) {
  const found = [...line.matchAll(/(?:[^\s'"\\]|\\.?|'[^']*'?|"(?:[^"\\]|\\.)*"?)+/gs)];
  const last = found.at(-1);
  const isBegun = last !== undefined && last.index + last[0].length === line.length;
  // Nothing that is offered begins with a quotation mark.
  const words = found.map(([word]) =>
    word === last?.[0] && /^['"]/.test(word) ? word : word.replaceAll(/\\(.)|['"]/gs, '$1'),
  );
  const typed = [...words.slice(1), ...(isBegun && words.length > 1 ? [] : [''])];
  const current = typed.at(-1) ?? '';
  return { typed, kept: current.endsWith(replaced) ? current.length - replaced.length : 0 };
}

function completionsOf(current: string, kept: number, all: readonly OfferedWord[]): readonly OfferedWord[] {
  return all.filter(({ word }) => word.startsWith(current)).map(({ word }) => ({ word: word.slice(kept) }));
}
