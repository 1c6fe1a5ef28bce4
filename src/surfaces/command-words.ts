import type { Outcome } from '../protocol/outcome.ts';

/** An option of a command. One table serves the parser and the help text. */
export interface CommandOption {
  /** By which its flag or values are found in what was parsed. */
  readonly key: string;
  readonly names: readonly string[];
  /** What the value is called; absent for options without one. */
  readonly value?: string;
  readonly help: string;
}

/** A command and what it takes. */
export interface CommandForm {
  /** As it is typed after `capstan`: `threads list`. */
  readonly name: string;
  /** One sentence. */
  readonly summary: string;
  /** What follows the name, one line each: `THREAD [--json]`. */
  readonly forms: readonly string[];
  readonly options: readonly CommandOption[];
  /** Said below the options. */
  readonly notes?: string;
}

export interface ParsedWords {
  readonly flags: ReadonlySet<string>;
  /** Values by option, in the order in which they were given. */
  readonly values: ReadonlyMap<string, readonly string[]>;
  readonly positional: readonly string[];
}

const help: CommandOption = { key: 'help', names: ['-h', '--help'], help: 'this text' };

/** Reads the words after a command's name. `--name=value` and `--name value` are the same; `--` ends the options. */
export function parseWords(form: CommandForm, words: readonly string[]): ParsedWords | Outcome<'usage'> {
  const flags = new Set<string>();
  const values = new Map<string, string[]>();
  const positional: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    if (word === '--') {
      positional.push(...words.slice(i + 1));
      break;
    }
    if (!word.startsWith('-') || word === '-') {
      positional.push(word);
      continue;
    }
    const at = word.startsWith('--') ? word.indexOf('=') : -1;
    const [name, attached] = at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
    const option = [...form.options, help].find(({ names }) => names.includes(name));
    if (option === undefined) return wrongUsage(form, `there is no option ${name}.`);
    if (option.value === undefined) {
      if (attached !== undefined) return wrongUsage(form, `${name} takes no value.`);
      flags.add(option.key);
      continue;
    }
    const value = attached ?? words[++i];
    if (value === undefined) return wrongUsage(form, `${name} needs a value.`);
    values.set(option.key, [...(values.get(option.key) ?? []), value]);
  }
  return { flags, values, positional };
}

/** Every option that the command knows, by all its names. */
export function optionNames({ options }: CommandForm): readonly string[] {
  return [...options, help].flatMap(({ names }) => names);
}

export function wrongUsage({ name }: CommandForm, message: string): Outcome<'usage'> {
  return { code: 'usage', message: `${name}: ${message}`, next: `See \`capstan ${name} --help\`.` };
}

/** The help text, made from the table. */
export function usageOf({ name, summary, forms, options, notes }: CommandForm): string {
  const rows = [...options, help].map(({ names, value, help: text }) => {
    const both = names.join(', ');
    return [value === undefined ? both : `${both} ${value}`, text] as const;
  });
  const width = Math.max(...rows.map(([left]) => left.length));
  return [
    `${summary}\n`,
    'Usage:',
    ...forms.map((form) => `  capstan ${name} ${form}`.trimEnd()),
    '',
    'Options:',
    ...rows.map(([left, text]) => `  ${left.padEnd(width)}  ${text}`),
    ...(notes === undefined ? [] : ['', notes]),
    '',
  ].join('\n');
}
