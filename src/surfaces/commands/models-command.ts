import { type Command, flag, option } from './command.ts';

export const modelsCommand = {
  name: 'models',
  does: 'list models, show what is known of one, and test it',
  summary: 'Works with models: which there are, how large their windows are, and what they can do.',
  forms: [
    ['list [options]', 'the models that are known, with their windows'],
    ['show MODEL [options]', 'all that is known of a model, and who says so'],
    ['test [MODEL] [options]', 'ask the model small questions, and remember what it can do'],
  ],
  examples: [
    ['capstan models list --provider ollama', 'What the Ollama of this machine has'],
    ['capstan models test --dry-run', 'What a test of the configured model would send'],
  ],
  variants: {
    list: [],
    show: [{ name: 'MODEL', missing: 'show needs the name of a model.' }],
    test: [{ name: 'MODEL' }],
  },
  options: {
    provider: option('--provider ID', 'another provider than the configured one'),
    offline: flag('--offline', 'with list: do not ask the server', { only: ['list'] }),
    dryRun: flag('--dry-run', 'with test: only say what would be sent', { only: ['test'] }),
    overflow: flag('--overflow', 'with test: also send more than a large window holds', { only: ['test'] }),
    folder: option('-C, --cd FOLDER', 'as it is configured in FOLDER'),
    json: flag('--json', 'print one JSON object'),
  },
  notes:
    'A test sends up to six requests, one after the other, and ends by itself. What it finds counts in new threads; `capstan envelope` names it as the source.',
} as const satisfies Command;
