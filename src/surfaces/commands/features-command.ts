import { type Command, flag, option } from './command.ts';

export const featuresCommand = {
  name: 'features',
  does: 'list and switch feature gates',
  summary: 'Lists the feature gates, and opens or closes one in your config.toml.',
  forms: [
    ['list [options]', 'every gate that does something, with its state'],
    ['enable FEATURE', 'open a gate'],
    ['disable FEATURE', 'close a gate'],
  ],
  examples: [['capstan features enable sleep_tool', 'Give the model the tool sleep']],
  variants: {
    list: [],
    enable: [{ name: 'FEATURE', missing: 'enable needs the name of a gate.' }],
    disable: [{ name: 'FEATURE', missing: 'disable needs the name of a gate.' }],
  },
  options: {
    json: flag('--json', 'with list: print one JSON object', { only: ['list'] }),
    folder: option('-C, --cd FOLDER', 'with list: as they are in FOLDER', { only: ['list'] }),
  },
  notes: 'For one run: `capstan exec -c features.NAME=true`.',
} as const satisfies Command;
