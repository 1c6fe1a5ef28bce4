import { type Command, flag, option } from './command.ts';

export const hooksCommand = {
  name: 'hooks',
  does: 'list hooks, and choose which may run',
  summary: 'Lists the hooks that are configured here, and chooses which of them may run.',
  forms: [
    ['list [options]', 'every hook, with whether it runs'],
    ['trust [options]', 'let the hooks run that wait for it, as they are defined now'],
    ['untrust [options]', 'take that back'],
  ],
  examples: [
    ['capstan hooks list', 'What is configured in this folder'],
    ['capstan hooks trust --key KEY', 'One of them, by the key that list shows'],
  ],
  variants: { list: [], trust: [], untrust: [] },
  options: {
    key: option('--key KEY', 'only the hook with this key; otherwise all', { repeats: true }),
    json: flag('--json', 'with list: print one JSON object', { only: ['list'] }),
    folder: option('-C, --cd FOLDER', 'the hooks of FOLDER instead of this folder'),
  },
  notes: 'Hooks run outside the sandbox. Read a hook, and the programs that it starts, before you trust it.',
} as const satisfies Command;
