import { type Command, flag, option } from './command.ts';

export const findFilesCommand = {
  name: 'files',
  does: 'find files by parts of their names',
  summary: 'Finds files and folders by letters of their paths, the best match first. What git ignores is left out.',
  forms: ['[options] [WORD]'],
  examples: [['capstan files rankpath', 'Files whose paths have these letters in this order']],
  words: [{ name: 'WORD' }],
  freeWord: 'word',
  options: {
    limit: option('--limit N', 'how many at most; 50 by default', { number: { min: 1, max: 1000 } }),
    folder: option('-C, --cd FOLDER', 'search FOLDER instead of this folder'),
    json: flag('--json', 'print one JSON object'),
  },
  notes: 'Letters in upper case count only if WORD has one.',
} as const satisfies Command;
