import { type Command, keyAndValue } from './command.ts';

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
    origin: { names: ['--origin'], only: ['show'], help: 'with show: name the layer and the line behind every value' },
    json: { names: ['--json'], only: ['show'], help: 'with show: print one JSON object: values, layers and problems' },
    profile: { names: ['-p', '--profile'], value: 'NAME', help: 'with the profile NAME' },
    folder: { names: ['-C', '--cd'], value: 'FOLDER', help: 'for another folder than this one' },
    overrides: { names: ['-c', '--config'], value: keyAndValue, repeats: true, help: 'override a value' },
    strictConfig: { names: ['--strict-config'], help: 'treat keys that are not known as errors' },
    ignoreUserConfig: { names: ['--ignore-user-config'], help: "leave out the user's config.toml" },
  },
  notes: 'Secrets are shown as <hidden>. With an error in the configuration the exit code is 1.',
} as const satisfies Command;
