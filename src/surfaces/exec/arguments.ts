import type { Outcome } from '../../protocol/outcome.ts';

/** What `capstan exec …` was asked to do. */
export interface ExecArguments {
  readonly json: boolean;
  readonly model?: string;
  readonly sandbox?: string;
  readonly cwd?: string;
  /** `key=value` texts of `-c`, in order. */
  readonly overrides: readonly string[];
  /** The thread to go on with. */
  readonly resume?: string;
  /** The words; absent means: read them from standard input. */
  readonly prompt?: string;
  readonly help: boolean;
}

export const execUsage = `Runs one turn and exits.

Usage:
  capstan exec [options] [PROMPT]
  capstan exec [options] resume THREAD_ID [PROMPT]

Without PROMPT, or with "-", the prompt is read from standard input.

Options:
  --json                 print one JSON event per line on standard output
  -m, --model NAME       the model
  -s, --sandbox MODE     read-only, workspace-write or danger-full-access
  -C, --cd FOLDER        the folder to work in
  -c, --config KEY=VALUE override a value of config.toml; may be repeated
  -h, --help             this text

A resumed thread keeps its last model, effort, folder and policy unless an option names another.
`;

const takesValue: Readonly<Record<string, 'model' | 'sandbox' | 'cwd' | 'override'>> = {
  '-m': 'model',
  '--model': 'model',
  '-s': 'sandbox',
  '--sandbox': 'sandbox',
  '-C': 'cwd',
  '--cd': 'cwd',
  '-c': 'override',
  '--config': 'override',
};

const flags: Readonly<Record<string, 'json' | 'help'>> = {
  '--json': 'json',
  '--experimental-json': 'json',
  '-h': 'help',
  '--help': 'help',
};

/** Reads the words after `exec`. Options may stand before and after `resume`; `--` ends them. */
export function parseExecArguments(words: readonly string[]): ExecArguments | Outcome<'usage'> {
  const values: Partial<Record<'model' | 'sandbox' | 'cwd', string>> = {};
  const overrides: string[] = [];
  const found = { json: false, help: false };
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
    const [name, attached] = splitOption(word);
    const flag = flags[name];
    const option = takesValue[name];
    if (flag !== undefined && attached === undefined) found[flag] = true;
    else if (option === undefined) return usage(`there is no option ${name}.`);
    else {
      const value = attached ?? words[++i];
      if (value === undefined) return usage(`${name} needs a value.`);
      if (option === 'override') overrides.push(value);
      else values[option] = value;
    }
  }
  const asked = target(positional);
  return 'code' in asked ? asked : { ...found, ...values, overrides, ...asked };
}

function splitOption(word: string): readonly [name: string, attached: string | undefined] {
  const at = word.startsWith('--') ? word.indexOf('=') : -1;
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}

function target(positional: readonly string[]): Pick<ExecArguments, 'resume' | 'prompt'> | Outcome<'usage'> {
  const [first, ...rest] = positional;
  const resumes = first === 'resume';
  const words = resumes ? rest.slice(1) : positional;
  if (resumes && rest[0] === undefined) return usage('resume needs the id of a thread.');
  if (words.length > 1) return usage('there is more than one prompt: put it in quotes.');
  const prompt = words[0] === undefined || words[0] === '-' ? {} : { prompt: words[0] };
  return { ...(resumes ? { resume: rest[0]! } : {}), ...prompt };
}

function usage(message: string): Outcome<'usage'> {
  return { code: 'usage', message: `capstan exec: ${message}`, next: 'See `capstan exec --help`.' };
}
