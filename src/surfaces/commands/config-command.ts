import { type Command, flag, option } from './command.ts';

export const configCommand = {
  name: 'config',
  does: 'show the configuration, and where each value comes from',
  summary: 'Shows the configuration in force, and where each value comes from.',
  forms: [
    ['show [options]', 'every value, defaults included, as TOML'],
    ['explain KEY [options]', 'what each file and flag says about one key'],
    ['path [options]', 'the files that Capstan reads; later ones win'],
  ],
  examples: [
    ['capstan config show --origin', 'Every value with the file and line that sets it'],
    ['capstan config explain sandbox_mode', 'Why commands may or may not write'],
  ],
  variants: {
    show: [],
    explain: [{ name: 'KEY', missing: 'explain needs a key, for example `capstan config explain model`.' }],
    path: [],
  },
  options: {
    origin: flag('--origin', 'with show: name the file and line that set each value', { only: ['show'] }),
    json: flag('--json', 'with show: print one JSON object with values, layers and problems', { only: ['show'] }),
    profile: option('-p, --profile NAME', 'read NAME.config.toml over config.toml'),
    folder: option('-C, --cd FOLDER', 'show what holds in FOLDER instead of this folder'),
    config: option('-c, --config KEY=VALUE', 'override a value', { repeats: true }),
    strictConfig: flag('--strict-config', 'treat unknown keys as errors'),
    ignoreUserConfig: flag('--ignore-user-config', 'do not read your config.toml'),
  },
  notes: 'Secrets are shown as <hidden>. If the configuration has an error, the exit code is 1.',
} as const satisfies Command;
