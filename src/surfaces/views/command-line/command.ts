export interface CommandOption {
  /** As typed, a short name first: `-m`, `--model`. */
  readonly names: readonly string[];
  readonly help: string;
  /** Accepted for compatibility with scripts, but not shown. */
  readonly hidden?: true;
  /** Placeholder of the value; absent for a flag. Shells complete FILE and FOLDER from the disk. */
  readonly value?: string;
  readonly number?: { readonly min: number; readonly max?: number };
  /** The accepted values, besides numbers if it accepts those. */
  readonly choices?: readonly string[];
  /** Values for completion, where the command itself decides which ones it accepts. */
  readonly offers?: readonly string[];
  /** The option uses all values that it gets; other options use the last one. */
  readonly repeats?: true;
  /** Key of an option that this one requires. */
  readonly with?: string;
  /** Keys of options that must not be given together with this one. */
  readonly without?: readonly string[];
  /** The variants of the command that accept it. */
  readonly only?: readonly string[];
  readonly choosesThread?: true;
}

type OptionRules = Omit<CommandOption, 'names' | 'value' | 'help'>;

/** An option without a value: `-v, --verbose`. */
export function flag<const Rules extends OptionRules>(names: string, help: string, rules?: Rules) {
  return { names: names.split(', '), help, ...(rules as Rules) };
}

/** An option with a value: `-m, --model NAME`. */
export function option<const Rules extends OptionRules>(form: string, help: string, rules?: Rules) {
  const space = form.lastIndexOf(' ');
  return { ...flag(form.slice(0, space), help, rules), value: form.slice(space + 1) };
}

export const sandboxFallbackOption = option(
  '--sandbox-fallback HOW',
  '`landlock`: where bubblewrap cannot build a sandbox, run commands under Landlock, which protects less',
  { choices: ['landlock'] },
);

export const keyValuePlaceholder = 'KEY=VALUE';

export interface PositionalArgument {
  /** Options can replace the word THREAD. */
  readonly name: string;
  /** The error message if the word is missing; absent if the word is optional. */
  readonly missing?: string;
  readonly many?: true;
  /** Ends the options: it and all that follows belong to another program. */
  readonly verbatim?: true;
  readonly choices?: readonly string[];
}

/** Describes a command for the parser, the help text, completion in three shells, and the tests of the documents. */
export interface Command {
  /** As typed after `capstan`: `threads list`. */
  readonly name: string;
  /** For our own scripts: neither shown nor offered. */
  readonly hidden?: true;
  readonly does: string;
  /** One sentence. */
  readonly summary: string;
  /** Usage after the name, one line each: `THREAD [--json]`, optionally with a description. */
  readonly forms: readonly (string | readonly [form: string, does: string])[];
  /** Options by the keys under which the command gets their values. */
  readonly options: Readonly<Record<string, CommandOption>>;
  /** Absent: one of the variants must be named. */
  readonly words?: readonly PositionalArgument[];
  /** First words that change which words follow. All variants share the options. */
  readonly variants?: Readonly<Record<string, readonly PositionalArgument[]>>;
  readonly examples?: readonly (readonly [line: string, does: string])[];
  /** Paragraphs above the options, one per line: help wraps them. */
  readonly about?: string;
  readonly notes?: string;
  /** Names the word that may begin with a dash if it comes after `--`. */
  readonly freeWord?: string;
  readonly surplus?: string;
  /** Words that other programs or commands accept here, and why this one does not. */
  readonly refuses?: Readonly<Record<string, { readonly message: string; readonly next?: string }>>;
}

export interface CommandArguments<Form extends Command> {
  readonly variant: VariantOf<Form>;
  readonly options: { readonly [Key in keyof Form['options']]: ValueOf<Form['options'][Key]> };
  /** Undefined if it was left out, or an option replaces it. */
  readonly thread: string | undefined;
  readonly words: readonly string[];
}

type VariantOf<Form extends Command> =
  | (Form extends { readonly variants: infer Variants } ? keyof Variants : never)
  | (Form extends { readonly words: readonly PositionalArgument[] } ? undefined : never);

type ValueOf<Option extends CommandOption> = Option extends { readonly value: string }
  ? Option extends { readonly repeats: true }
    ? readonly string[]
    : SingleValueOf<Option> | undefined
  : boolean;

type SingleValueOf<Option extends CommandOption> = Option extends { readonly number: object }
  ? number | ChoiceOf<Option, never>
  : ChoiceOf<Option, string>;

type ChoiceOf<Option extends CommandOption, Otherwise> = Option extends {
  readonly choices: readonly (infer Choice)[];
}
  ? Choice
  : Otherwise;

/** Every command has it, so no table lists it. */
export const helpOption: CommandOption = flag('-h, --help', 'this text');

export const optionsInHelp = ({ options }: Command): readonly CommandOption[] => [
  ...Object.values(options).filter(({ hidden }) => hidden !== true),
  helpOption,
];

/** The displayed names. A second long name is only accepted. */
export const shownOptionNames = ({ names }: CommandOption): readonly string[] =>
  names.slice(0, names[0]?.startsWith('--') === true ? 1 : 2);
