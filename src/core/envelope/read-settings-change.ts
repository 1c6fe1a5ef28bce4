import {
  stringOption,
  choiceOption,
  booleanOption,
  nonBlankStringOption,
  plainDataOption,
  quoteEach,
  validateOptions,
  recordOption,
} from './read-options.ts';
import type { OptionProblem, OptionReaders, OptionType } from './read-options.ts';
import { approvalNames, readApprovalPolicy } from '../policy/decide/approval-policy.ts';
import { normalisePath } from '../policy/paths/absolute-paths.ts';
import { builtInProfile } from '../policy/profiles/profiles.ts';
import { readSandbox, sandboxExpected, type SandboxSetting } from '../policy/profiles/read-profile.ts';
import { memberPath, unknownKeyIn, wrongProfileValue } from '../policy/profiles/profile-entries.ts';
import type { WrongProfileValue } from '../policy/profiles/profile-entries.ts';
import { type ClientTool, readClientTools } from '../../protocol/client-tool.ts';
import { findUnstorableText, isJsonObject, type Json } from '../../protocol/json.ts';
import type { ApprovalsReviewer } from '../../protocol/question.ts';
import type { ApprovalPolicy, PermissionProfile, SandboxMode } from '../../protocol/permissions.ts';
import type { CollaborationMode, CollaborationSetting, Personality, RealtimeSetting, Settings } from './settings.ts';

/** A client's change between two turns. Omitted settings stay; paths are normalised. */
export interface SettingsChange extends Partial<
  Pick<Settings, 'cwd' | 'reviewer' | 'model' | 'collaboration' | 'clientTools'>
> {
  readonly approvals?: ApprovalPolicy;
  readonly sandbox?: SandboxSetting;
  readonly summary?: (typeof reasoningSummaryModes)[number];
  /** `null`: the model's default. */
  readonly effort?: string | null;
  /** `null`: the standard tier. */
  readonly serviceTier?: string | null;
  readonly personality?: Personality | null;
  /** Omitted start instructions stay. */
  readonly realtime?: RealtimeSetting;
}

export const reasoningSummaryModes = ['auto', 'concise', 'detailed', 'none'] as const;
export const personalities: readonly Personality[] = ['none', 'friendly', 'pragmatic'];
export const approvalReviewers: readonly ApprovalsReviewer[] = ['user', 'auto_review'];
const collaborationModes: readonly CollaborationMode[] = ['default', 'plan'];
const noOptions = { network: false, writableRoots: [], excludeTmpdir: false, excludeSlashTmp: false };

export const approvalOption: OptionType<ApprovalPolicy> = plainDataOption(
  `one of ${quoteEach(approvalNames)}, or an object with the key granular`,
  (given) => readApprovalPolicy(given),
);

export const serviceTierOption: OptionType<string> = {
  ...nonBlankStringOption,
  read: (given) => (given === 'fast' ? 'priority' : nonBlankStringOption.read(given)),
};

/** Unknown keys of a tool are allowed: the format is another program's. */
export const clientToolsOption = plainDataOption<readonly ClientTool[]>(
  'a list of tools, each with a name, a description and an inputSchema',
  (given) => {
    if (!Array.isArray(given)) return undefined;
    const odd = oddTool(given, '');
    if (odd !== undefined) return odd;
    const tools = readClientTools(given);
    return typeof tools === 'string' ? { ...wrongProfileValue('', 'a list of tools', given), why: tools } : tools;
  },
);

const functionKeys = ['type', 'name', 'description', 'inputSchema', 'input_schema', 'deferLoading', 'defer_loading'];
const namespaceKeys = ['type', 'name', 'description', 'tools'];

/** Only for clients: a thread's file may hold what later versions write. */
function oddTool(tools: readonly Json[], at: string): WrongProfileValue | undefined {
  for (const [index, tool] of tools.entries()) {
    if (!isJsonObject(tool)) continue;
    const here = memberPath(at, index);
    const { tools: inner } = tool;
    const isGroup = tool['type'] === 'namespace';
    const unknown = unknownKeyIn(tool, here, isGroup ? namespaceKeys : functionKeys);
    if (unknown !== undefined) return unknown;
    for (const key of ['deferLoading', 'defer_loading'])
      if (!['boolean', 'undefined'].includes(typeof tool[key]))
        return wrongProfileValue(memberPath(here, key), 'true or false', tool[key]);
    const odd = isGroup && Array.isArray(inner) ? oddTool(inner, memberPath(here, 'tools')) : undefined;
    if (odd !== undefined) return odd;
  }
  return undefined;
}

export const sandboxOption: OptionType<SandboxMode | PermissionProfile> = plainDataOption(sandboxExpected, (given) =>
  readSandbox(given),
);

const profileOption: OptionType<PermissionProfile> = {
  ...sandboxOption,
  read(given) {
    const read = sandboxOption.read(given);
    return typeof read === 'string' ? builtInProfile(read, noOptions) : read;
  },
};

/** In the order in which they are checked and reported. */
export const settingsChangeOptions = {
  cwd: { type: absolutePath() },
  approvals: { type: approvalOption },
  reviewer: { type: choiceOption(...approvalReviewers) },
  sandbox: { type: profileOption },
  model: { type: nonBlankStringOption },
  effort: { type: orNull(nonBlankStringOption, null) },
  summary: { type: choiceOption(...reasoningSummaryModes) },
  serviceTier: { type: orNull(serviceTierOption, 'default') },
  collaboration: {
    type: recordOption<CollaborationSetting>('an object with a mode and perhaps instructions', {
      mode: { type: choiceOption(...collaborationModes), required: true },
      instructions: { type: stringOption },
    }),
  },
  personality: { type: orNull(choiceOption(...personalities), null) },
  realtime: {
    type: recordOption<RealtimeSetting>('an object with active and perhaps startInstructions', {
      active: { type: booleanOption, required: true },
      startInstructions: { type: stringOption },
    }),
  },
  clientTools: { type: clientToolsOption },
} as const satisfies OptionReaders<SettingsChange>;

export type ParsedSettingsChange = {
  readonly [Name in keyof typeof settingsChangeOptions]?: Exclude<
    ReturnType<(typeof settingsChangeOptions)[Name]['type']['read']>,
    WrongProfileValue | undefined
  >;
};

export function parseSettingsChange(given: unknown): ParsedSettingsChange | OptionProblem {
  const of = 'a change of settings';
  const read = validateOptions<ParsedSettingsChange>(given, settingsChangeOptions, of);
  if ('code' in read) return { ...read, next: `${read.next} Nothing was changed.` };
  for (const [key, value] of Object.entries(read)) {
    const odd = findUnstorableText(value as Json);
    if (odd === undefined) continue;
    const next = `Correct ${key} or leave it out. Nothing was changed.`;
    return { code: 'option-wrong', message: `${key} of ${of} must not contain ${odd.what}.`, next };
  }
  return read;
}

function absolutePath(): OptionType<string> {
  // A path that cannot be stored stays as it is here: a later check refuses it with a better reason.
  const read = (path: string): string | undefined => (findUnstorableText(path) ? path : normalisePath(path));
  return { expected: 'an absolute path', read: (given) => (typeof given === 'string' ? read(given) : undefined) };
}

function orNull<Value, Instead>(field: OptionType<Value>, instead: Instead): OptionType<Value | Instead> {
  return { expected: `${field.expected}, or null`, read: (given) => (given === null ? instead : field.read(given)) };
}
