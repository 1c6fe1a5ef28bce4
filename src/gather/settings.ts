import type { Config } from '../config/config.ts';
import type { Settings } from '../envelope/settings.ts';
import type { Outcome } from '../protocol/outcome.ts';
import { type AddedRootsProblem, chooseProfile } from './choose-profile.ts';

export type SettingsProblem = Outcome<'no-model'>;

export interface ChosenSettings {
  readonly settings: Settings;
  /** What a person asked for and does not get. */
  readonly notices: readonly AddedRootsProblem[];
}

export interface SettingsChoices {
  /** Absolute. */
  readonly cwd: string;
  /** What the thread had when it was last used. It beats the file and loses to flags. */
  readonly resumed?: Partial<Settings>;
  /** The text of the file that `model_instructions_file` names; see `loadBaseInstructions`. */
  readonly baseInstructions?: string;
}

/** What has been chosen for a thread, from configuration, flags and the thread's own past. */
export function settingsFrom(
  config: Config,
  { cwd, resumed = {}, baseInstructions }: SettingsChoices,
): ChosenSettings | SettingsProblem {
  /** The value by rank: flag or managed file, thread, other files. */
  function ranked<Value>(key: string, configured: Value, had: Value | undefined): Value {
    return had === undefined || isPinned(config, key) ? configured : had;
  }

  const model = ranked('model', config.model, resumed.model);
  if (model === undefined) return noModel(config);
  const fileText = notBlank(baseInstructions) ?? notBlank(config.instructions);
  const { profile, notices } = chooseProfile(config, resumed.profile);
  const settings = {
    model,
    provider: ranked('model_provider', config.modelProvider, resumed.provider),
    effort: ranked('model_reasoning_effort', config.modelReasoningEffort, resumed.effort),
    summary: ranked<string | undefined>('model_reasoning_summary', config.modelReasoningSummary, resumed.summary),
    verbosity: ranked<string | undefined>('model_verbosity', config.modelVerbosity, resumed.verbosity),
    cwd,
    approval: ranked('approval_policy', config.approvalPolicy, resumed.approval),
    profile,
    shellEnvironment: ranked('shell_environment_policy', config.shellEnvironmentPolicy, resumed.shellEnvironment),
    baseInstructions: resumed.baseInstructions ?? fileText,
    window: withoutUndefined({
      contextWindow: config.modelContextWindow,
      toolOutputTokens: config.toolOutputTokenLimit,
    }),
  };
  return { settings: withoutUndefined(settings), notices };
}

/** The key itself, or any key of the table that it names. */
function isPinned({ pinned }: Config, key: string): boolean {
  return pinned.has(key) || [...pinned.keys()].some((set) => set.startsWith(`${key}.`));
}

function noModel(config: Config): SettingsProblem {
  return {
    code: 'no-model',
    message: 'No model is configured',
    next: [
      `Write these lines at the top of ${config.userFile ?? 'config.toml in the home folder of Capstan'}, or pass -m MODEL:`,
      'model = "gpt-5.5"',
      `model_provider = "${config.modelProvider}"`,
      'model_reasoning_effort = "medium"',
    ].join('\n'),
  };
}

function notBlank(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text;
}

type WithoutUndefined<Value> = { [Key in keyof Value as undefined extends Value[Key] ? never : Key]: Value[Key] } & {
  [Key in keyof Value as undefined extends Value[Key] ? Key : never]?: Exclude<Value[Key], undefined>;
};

function withoutUndefined<Value extends object>(value: Value): WithoutUndefined<Value> {
  const present = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(present) as WithoutUndefined<Value>;
}
