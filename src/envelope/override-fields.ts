import { profileOf } from '../policy/legacy.ts';
import { normalisePath } from '../policy/paths.ts';
import { profileFor } from '../policy/profiles.ts';
import { readProfile, readSandboxPolicy } from '../policy/read-profile.ts';
import { isWrong, unknownKeyIn, wrongAt, type WrongValue } from '../policy/wrong-value.ts';
import { type ClientTool, readClientTools } from '../protocol/client-tool.ts';
import { defined } from '../protocol/defined.ts';
import { isJsonObject, type JsonObject } from '../protocol/json.ts';
import type { ApprovalsReviewer } from '../protocol/review-verdict.ts';
import type { ApprovalPolicy, PermissionProfile, SandboxMode, SandboxPolicy } from '../protocol/permission-profile.ts';
import type { CollaborationMode, CollaborationSetting, Personality, RealtimeSetting, Settings } from './settings.ts';
import { approvalNames, readApprovalPolicy } from '../policy/approval-policy.ts';

/** What a client may change between two turns. What is omitted stays; a path is kept in normal form. */
export interface SettingsChange extends Partial<
  Pick<Settings, 'cwd' | 'approval' | 'reviewer' | 'profile' | 'model' | 'summary' | 'collaboration' | 'clientTools'>
> {
  /** The profile by a word, or in the coarser form; not together with `profile`. */
  readonly sandboxMode?: SandboxMode | SandboxPolicy;
  /** `null`: as the model has it. */
  readonly effort?: string | null;
  /** `null`: the standard tier. */
  readonly serviceTier?: string | null;
  /** `null`: none is chosen. */
  readonly personality?: Personality | null;
  /** Start instructions that are omitted stay. */
  readonly realtime?: RealtimeSetting;
}

/** What a field takes. */
interface Field<Value> {
  /** The rest of a sentence that begins with "must be". */
  readonly expected: string;
  /** The value as settings hold it, shared with no caller; undefined, or what is wrong in it, when the field does not take it. */
  read(given: unknown): Value | WrongValue | undefined;
}

const modes: readonly SandboxMode[] = ['read-only', 'workspace-write', 'danger-full-access'];
const collaborationModes: readonly CollaborationMode[] = ['default', 'plan'];
const noOptions = { network: false, writableRoots: [], excludeTmpdir: false, excludeSlashTmp: false };

const longestName = 256;

const name: Field<string> = {
  expected: 'a string that is not blank',
  read(given) {
    if (typeof given !== 'string' || given.trim() === '') return undefined;
    if (given.length <= longestName) return given;
    return wrongAt('', `a string of at most ${longestName} characters`, given);
  },
};

/** In the order in which they are checked and reported. */
export const changeFields = {
  cwd: {
    expected: 'an absolute path',
    read: (given) => (typeof given === 'string' ? normalisePath(given) : undefined),
  } satisfies Field<string>,
  approval: {
    expected: `one of ${quoted(approvalNames)}, or a table with granular in it`,
    read: readApprovalPolicy,
  } satisfies Field<ApprovalPolicy>,
  reviewer: choice<ApprovalsReviewer>(['user', 'auto_review']),
  profile: { expected: 'a permission profile', read: readProfile } satisfies Field<PermissionProfile>,
  sandboxMode: {
    expected: `one of ${quoted(modes)}, or a sandbox policy`,
    read(given) {
      const mode = modes.find((one) => one === given);
      if (mode !== undefined) return profileFor(mode, noOptions);
      if (!isJsonObject(given)) return undefined;
      const policy = readSandboxPolicy(given);
      return isWrong(policy) ? policy : profileOf(policy);
    },
  } satisfies Field<PermissionProfile>,
  model: name,
  effort: orNull(name, null),
  summary: choice(['auto', 'concise', 'detailed', 'none']),
  serviceTier: orNull(
    { ...name, read: (given) => (given === 'fast' ? 'priority' : name.read(given)) } satisfies Field<string>,
    'default',
  ),
  collaboration: objectOf<CollaborationSetting>(
    `an object with a mode (${quoted(collaborationModes)}) and perhaps instructions`,
    ['mode', 'instructions'],
    ({ mode: given, instructions }) => {
      const mode = collaborationModes.find((one) => one === given);
      if (mode === undefined || !isTextOrAbsent(instructions)) return undefined;
      return { mode, ...defined({ instructions }) };
    },
  ),
  personality: orNull(choice<Personality>(['none', 'friendly', 'pragmatic']), null),
  realtime: objectOf<RealtimeSetting>(
    'an object with active (true or false) and perhaps startInstructions',
    ['active', 'startInstructions'],
    ({ active, startInstructions }) => {
      if (typeof active !== 'boolean' || !isTextOrAbsent(startInstructions)) return undefined;
      return { active, ...defined({ startInstructions }) };
    },
  ),
  clientTools: {
    expected: 'a list of tools, each with a name, a description and an inputSchema',
    read(given) {
      const tools = Array.isArray(given) ? readClientTools(given) : undefined;
      return typeof tools === 'string' ? wrongAt('', `a list of valid tools (${tools.slice(0, -1)})`, given) : tools;
    },
  } satisfies Field<readonly ClientTool[]>,
} as const satisfies { readonly [Name in keyof Required<SettingsChange>]: Field<unknown> };

/** The fields of a change that were given, each as its field reads it. */
export type ReadFields = {
  readonly [Name in keyof typeof changeFields]?: Exclude<
    ReturnType<(typeof changeFields)[Name]['read']>,
    WrongValue | undefined
  >;
};

function choice<Choice extends string>(
  choices: readonly Choice[],
  aliases: Readonly<Record<string, Choice>> = {},
): Field<Choice> {
  const older = new Map(Object.entries(aliases));
  return {
    expected: `one of ${quoted(choices)}`,
    read: (given) => choices.find((one) => one === given) ?? (typeof given === 'string' ? older.get(given) : undefined),
  };
}

function objectOf<Value>(
  expected: string,
  keys: readonly string[],
  read: (given: JsonObject) => Value | undefined,
): Field<Value> {
  return {
    expected,
    read: (given) => (isJsonObject(given) ? (unknownKeyIn(given, '', keys) ?? read(given)) : undefined),
  };
}

/** `null` stands for a value of its own. */
function orNull<Value, Instead>(field: Field<Value>, instead: Instead): Field<Value | Instead> {
  return {
    expected: `${field.expected}, or null`,
    read: (given) => (given === null ? instead : field.read(given)),
  };
}

function isTextOrAbsent(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string';
}

function quoted(words: readonly string[]): string {
  return words.map((word) => `"${word}"`).join(', ');
}
