import type { Outcome } from '../../protocol/outcome.ts';

/** What `capstan config …` was asked to do. */
export interface ConfigArguments {
  readonly command: 'show' | 'explain' | 'path' | 'help';
  /** What `explain` explains. */
  readonly key?: string;
  readonly origin: boolean;
  readonly json: boolean;
  readonly strictConfig: boolean;
  readonly ignoreUserConfig: boolean;
  readonly profile?: string;
  readonly folder?: string;
  /** `key=value` texts of `-c`, in order. */
  readonly overrides: readonly string[];
}

export const configUsage = `Shows the configuration that is in force, and where it comes from.

Usage:
  capstan config show [--origin] [--json] [options]   all values, as TOML
  capstan config explain KEY [options]                what every layer says about a key
  capstan config path [options]                       the files that count, later ones over earlier ones

Options:
  --origin               name the layer and the line behind every value
  --json                 print one JSON object: values, layers and problems
  -p, --profile NAME     with the profile NAME
  -C, --cd FOLDER        for another folder than this one
  -c, --config KEY=VALUE override a value; may be repeated
  --strict-config        treat keys that are not known as errors
  --ignore-user-config   leave out the user's config.toml
  -h, --help             this text

Secrets are shown as <hidden>. With an error in the configuration the exit code is 1.
`;

const takesValue: Readonly<Record<string, 'profile' | 'folder' | 'override'>> = {
  '-p': 'profile',
  '--profile': 'profile',
  '-C': 'folder',
  '--cd': 'folder',
  '-c': 'override',
  '--config': 'override',
};

const flags: Readonly<Record<string, 'origin' | 'json' | 'strictConfig' | 'ignoreUserConfig' | 'help'>> = {
  '--origin': 'origin',
  '--json': 'json',
  '--strict-config': 'strictConfig',
  '--ignore-user-config': 'ignoreUserConfig',
  '-h': 'help',
  '--help': 'help',
};

/** Reads the words after `config`. */
export function parseConfigArguments(words: readonly string[]): ConfigArguments | Outcome<'usage'> {
  const values: { profile?: string; folder?: string } = {};
  const overrides: string[] = [];
  const found = { origin: false, json: false, strictConfig: false, ignoreUserConfig: false, help: false };
  const positional: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    if (!word.startsWith('-')) {
      positional.push(word);
      continue;
    }
    const equals = word.startsWith('--') ? word.indexOf('=') : -1;
    const name = equals < 0 ? word : word.slice(0, equals);
    const flag = flags[name];
    const option = takesValue[name];
    if (flag !== undefined && equals < 0) found[flag] = true;
    else if (option === undefined) return usage(`there is no option ${name}.`);
    else {
      const value = equals < 0 ? words[++i] : word.slice(equals + 1);
      if (value === undefined) return usage(`${name} needs a value.`);
      if (option === 'override') overrides.push(value);
      else values[option] = value;
    }
  }
  const { help, ...given } = found;
  const asked = help || positional.length === 0 ? { command: 'help' as const } : target(positional);
  if ('code' in asked) return asked;
  if (asked.command !== 'show' && (given.origin || given.json)) return usage('--origin and --json go with show.');
  return { ...given, ...values, overrides, ...asked };
}

function target([command, ...rest]: readonly string[]): Pick<ConfigArguments, 'command' | 'key'> | Outcome<'usage'> {
  switch (command) {
    case 'show':
    case 'path':
      return rest.length === 0 ? { command } : usage(`${command} takes no further word.`);
    case 'explain':
      return rest.length === 1 && rest[0] !== undefined ? { command, key: rest[0] } : usage('explain needs one key.');
    default:
      return usage(`there is no command ${JSON.stringify(command)}.`);
  }
}

function usage(message: string): Outcome<'usage'> {
  return { code: 'usage', message: `capstan config: ${message}`, next: 'See `capstan config --help`.' };
}
