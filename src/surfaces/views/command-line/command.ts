/** An option of a command. */
export interface CommandOption {
  /** As they are typed, a short name first: `-m`, `--model`. */
  readonly names: readonly string[];
  readonly help: string;
  /** Accepted for the sake of scripts, and not shown. */
  readonly hidden?: true;
  /** What the value is called; absent for a flag. Shells complete FILE and FOLDER from the disk. */
  readonly value?: string;
  /** A whole number in these bounds. */
  readonly number?: { readonly min: number; readonly max?: number };
  /** The values that it takes, besides numbers where it takes those. */
  readonly choices?: readonly string[];
  /** Values for completion, where the command itself decides which ones it takes. */
  readonly offers?: readonly string[];
  /** Each value counts. Of other options the last one does. */
  readonly repeats?: true;
  /** The key of the option without which it means nothing. */
  readonly with?: string;
  /** Keys of options that it contradicts. */
  readonly without?: readonly string[];
  /** The variants of the command that it goes with. */
  readonly only?: readonly string[];
  /** It stands in the place of THREAD. */
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

/** For every command that runs commands. */
export const sandboxFallbackOption = option(
  '--sandbox-fallback HOW',
  '`landlock`: where bubblewrap cannot build a sandbox, run commands under Landlock, which protects less',
  { choices: ['landlock'] },
);

/** What the value of an option is called that names a key of the configuration. */
export const keyValuePlaceholder = 'KEY=VALUE';

/** A word after the name of a command that is no option. */
export interface CommandWord {
  /** THREAD is the one that options can stand for. */
  readonly name: string;
  /** What a command without it is answered; absent where the word may be left out. */
  readonly missing?: string;
  /** All words that are left. */
  readonly many?: true;
  /** With it the options end: it and all behind it belong to another program. */
  readonly verbatim?: true;
  readonly choices?: readonly string[];
}

/**
 * What a command takes. One value is read by the parser, the help text, the completion of three shells, and the tests of
 * the documents.
 */
export interface Command {
  /** As it is typed after `capstan`: `threads list`. */
  readonly name: string;
  /** For scripts of ours: not shown, not offered, and of no use to people. */
  readonly hidden?: true;
  /** A phrase for lists of commands. */
  readonly does: string;
  /** One sentence. */
  readonly summary: string;
  /** What follows the name, one line each: `THREAD [--json]`, or with what it does. */
  readonly forms: readonly (string | readonly [form: string, does: string])[];
  /** By the keys under which their values are found. */
  readonly options: Readonly<Record<string, CommandOption>>;
  /** Absent: one of the variants must be named. */
  readonly words?: readonly CommandWord[];
  /** First words that change which words follow. All variants share the options. */
  readonly variants?: Readonly<Record<string, readonly CommandWord[]>>;
  /** Whole command lines, each with what it does. */
  readonly examples?: readonly (readonly [line: string, does: string])[];
  /** Paragraphs above the options, one per line: help wraps them. */
  readonly about?: string;
  /** The same below the options. */
  readonly notes?: string;
  /** What the words are that may begin with a dash, behind `--`. */
  readonly freeWord?: string;
  /** The message about one word too many. */
  readonly surplus?: string;
  /** Words that other programs or commands take here, and why this one does not. */
  readonly refuses?: Readonly<Record<string, { readonly message: string; readonly next?: string }>>;
}

/** What a command was given, as its table says. */
export interface CommandArguments<Form extends Command> {
  readonly variant: VariantOf<Form>;
  readonly options: { readonly [Key in keyof Form['options']]: ValueOf<Form['options'][Key]> };
  /** Undefined where it was left out, or where an option stands for it. */
  readonly thread: string | undefined;
  /** The other words, in order. */
  readonly words: readonly string[];
}

type VariantOf<Form extends Command> =
  | (Form extends { readonly variants: infer Variants } ? keyof Variants : never)
  | (Form extends { readonly words: readonly CommandWord[] } ? undefined : never);

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

/** The options that help and completion show. */
export function shownOptions({ options }: Command): readonly CommandOption[] {
  return [...Object.values(options).filter(({ hidden }) => hidden !== true), helpOption];
}

/** The names that they show. A second long name is only accepted. */
export function shownNames({ names }: CommandOption): readonly string[] {
  return names.slice(0, names[0]?.startsWith('--') === true ? 1 : 2);
}
