import { type Command, flag, option } from './command.ts';

export const configCommand = {
  name: 'config',
  does: 'what is configured, and where it comes from',
  summary: 'Shows the configuration that is in force, and where it comes from.',
  forms: [
    ['show [options]', 'all values, as TOML'],
    ['explain KEY [options]', 'what every layer says about a key'],
    ['path [options]', 'the files that count, later ones over earlier ones'],
  ],
  variants: { show: [], explain: [{ name: 'KEY', missing: 'explain needs a key.' }], path: [] },
  options: {
    origin: flag('--origin', 'with show: name the layer and the line behind every value', { only: ['show'] }),
    json: flag('--json', 'with show: print one JSON object: values, layers and problems', { only: ['show'] }),
    profile: option('-p, --profile NAME', 'with the profile NAME'),
    folder: option('-C, --cd FOLDER', 'for another folder than this one'),
    overrides: option('-c, --config KEY=VALUE', 'override a value', { repeats: true }),
    strictConfig: flag('--strict-config', 'treat keys that are not known as errors'),
    ignoreUserConfig: flag('--ignore-user-config', "leave out the user's config.toml"),
  },
  notes: 'Secrets are shown as <hidden>. With an error in the configuration the exit code is 1.',
} as const satisfies Command;
