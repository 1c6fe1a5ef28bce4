import { choiceOf, nameText, type OptionType, quoted } from './read-options.ts';
import { approvalNames, readApprovalPolicy } from '../policy/approval-policy.ts';
import { normalisePath } from '../policy/paths.ts';
import { profileFor } from '../policy/profiles.ts';
import { readSandbox, sandboxExpected, type SandboxSetting } from '../policy/read-profile.ts';
import { memberAt, unknownKeyIn, wrongAt, type WrongValue } from '../policy/wrong-value.ts';
import { type ClientTool, readClientTools } from '../protocol/client-tool.ts';
import { defined } from '../protocol/defined.ts';
import { isJsonObject, type Json, type JsonObject } from '../protocol/json.ts';
import type { ApprovalsReviewer } from '../protocol/review-verdict.ts';
import type { ApprovalPolicy, PermissionProfile, SandboxMode } from '../protocol/permission-profile.ts';
import { notPlain, plainCopy } from '../protocol/plain-copy.ts';
import type { CollaborationMode, CollaborationSetting, Personality, RealtimeSetting, Settings } from './settings.ts';

/** What a client may change between two turns. What is omitted stays; a path is kept in normal form. */
export interface SettingsChange extends Partial<
  Pick<Settings, 'cwd' | 'reviewer' | 'model' | 'collaboration' | 'clientTools'>
> {
  readonly approvals?: ApprovalPolicy;
  readonly sandbox?: SandboxSetting;
  readonly summary?: (typeof summaries)[number];
  /** `null`: as the model has it. */
  readonly effort?: string | null;
  /** `null`: the standard tier. */
  readonly serviceTier?: string | null;
  /** `null`: none is chosen. */
  readonly personality?: Personality | null;
  /** Start instructions that are omitted stay. */
  readonly realtime?: RealtimeSetting;
}

export const summaries = ['auto', 'concise', 'detailed', 'none'] as const;
export const personalities: readonly Personality[] = ['none', 'friendly', 'pragmatic'];
export const reviewers: readonly ApprovalsReviewer[] = ['user', 'auto_review'];
const collaborationModes: readonly CollaborationMode[] = ['default', 'plan'];
const noOptions = { network: false, writableRoots: [], excludeTmpdir: false, excludeSlashTmp: false };

export const approvalOption: OptionType<ApprovalPolicy> = {
  expected: `one of ${quoted(approvalNames)}, or a table with granular in it`,
  read(given) {
    const copy = plainCopy(given);
    return copy === notPlain ? undefined : readApprovalPolicy(copy);
  },
};

export const tierOption: OptionType<string> = {
  ...nameText,
  read: (given) => (given === 'fast' ? 'priority' : nameText.read(given)),
};

/** Unknown keys of a tool are its client's: the form is that of another program. */
export const clientToolsOption: OptionType<readonly ClientTool[]> = {
  expected: 'a list of tools, each with a name, a description and an inputSchema',
  read(given) {
    const copy = plainCopy(given);
    if (copy === notPlain || !Array.isArray(copy)) return undefined;
    const odd = oddMember(copy, '');
    if (odd !== undefined) return odd;
    const tools = readClientTools(copy);
    return typeof tools === 'string' ? { ...wrongAt('', 'a list of tools', given), why: tools } : tools;
  },
};

const functionKeys = ['type', 'name', 'description', 'inputSchema', 'input_schema', 'deferLoading', 'defer_loading'];
const namespaceKeys = ['type', 'name', 'description', 'tools'];

/** A thread's file may hold what later versions write. A client is held to what is known. */
function oddMember(tools: readonly Json[], at: string): WrongValue | undefined {
  for (const [index, tool] of tools.entries()) {
    if (!isJsonObject(tool)) continue;
    const here = memberAt(at, index);
    const { tools: inner } = tool;
    const isGroup = tool['type'] === 'namespace';
    const unknown = unknownKeyIn(tool, here, isGroup ? namespaceKeys : functionKeys);
    if (unknown !== undefined) return unknown;
    for (const key of ['deferLoading', 'defer_loading'])
      if (!['boolean', 'undefined'].includes(typeof tool[key]))
        return wrongAt(memberAt(here, key), 'true or false', tool[key]);
    const odd = isGroup && Array.isArray(inner) ? oddMember(inner, memberAt(here, 'tools')) : undefined;
    if (odd !== undefined) return odd;
  }
  return undefined;
}

export const sandboxOption: OptionType<SandboxMode | PermissionProfile> = {
  expected: sandboxExpected,
  read(given) {
    const copy = plainCopy(given);
    return copy === notPlain ? undefined : readSandbox(copy);
  },
};

/** In the order in which they are checked and reported. */
export const changeFields = {
  cwd: {
    expected: 'an absolute path',
    read: (given) => (typeof given === 'string' ? normalisePath(given) : undefined),
  } satisfies OptionType<string>,
  approvals: approvalOption,
  reviewer: choiceOf(...reviewers),
  sandbox: {
    ...sandboxOption,
    read(given) {
      const read = sandboxOption.read(given);
      return typeof read === 'string' ? profileFor(read, noOptions) : read;
    },
  } satisfies OptionType<PermissionProfile>,
  model: nameText,
  effort: orNull(nameText, null),
  summary: choiceOf(...summaries),
  serviceTier: orNull(tierOption, 'default'),
  collaboration: objectOf<CollaborationSetting>(
    `an object with a mode (${quoted(collaborationModes)}) and perhaps instructions`,
    ['mode', 'instructions'],
    ({ mode: given, instructions }) => {
      const mode = collaborationModes.find((one) => one === given);
      if (mode === undefined || !isTextOrAbsent(instructions)) return undefined;
      return { mode, ...defined({ instructions }) };
    },
  ),
  personality: orNull(choiceOf(...personalities), null),
  realtime: objectOf<RealtimeSetting>(
    'an object with active (true or false) and perhaps startInstructions',
    ['active', 'startInstructions'],
    ({ active, startInstructions }) => {
      if (typeof active !== 'boolean' || !isTextOrAbsent(startInstructions)) return undefined;
      return { active, ...defined({ startInstructions }) };
    },
  ),
  clientTools: clientToolsOption,
} as const satisfies { readonly [Name in keyof Required<SettingsChange>]: OptionType<unknown> };

/** The fields of a change that were given, each as its field reads it. */
export type ReadFields = {
  readonly [Name in keyof typeof changeFields]?: Exclude<
    ReturnType<(typeof changeFields)[Name]['read']>,
    WrongValue | undefined
  >;
};

function objectOf<Value>(
  expected: string,
  keys: readonly string[],
  read: (given: JsonObject) => Value | undefined,
): OptionType<Value> {
  return {
    expected,
    read: (given) => (isJsonObject(given) ? (unknownKeyIn(given, '', keys) ?? read(given)) : undefined),
  };
}

/** `null` stands for a value of its own. */
function orNull<Value, Instead>(field: OptionType<Value>, instead: Instead): OptionType<Value | Instead> {
  return {
    expected: `${field.expected}, or null`,
    read: (given) => (given === null ? instead : field.read(given)),
  };
}

function isTextOrAbsent(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string';
}
