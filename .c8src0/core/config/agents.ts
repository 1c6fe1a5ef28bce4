import { defined } from '../../base/objects.ts';
import { isJsonObject, type Json, type JsonObject, objectAt, stringAt } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { featureGates, featureNames, isGateOpen } from './features.ts';
import type { Override } from './flag-overrides.ts';
import { choiceKind, flagKind, type SchemaKeys, nameKind, type TableKind, textKind, words } from './keys/key-kinds.ts';

export interface AgentsConfig {
  /** Absent: the feature decides. */
  readonly enabled?: boolean;
  readonly running: number;
  readonly depth: number;
  readonly tokens?: number;
  readonly defaultModel?: string;
  readonly defaultEffort?: string;
}

export type AgentsReading = { readonly agents: AgentsConfig; readonly problems: readonly Outcome<'agents-config'>[] };

const usual = { running: 6, depth: 1 } as const;

/** Reads the table as merged from all layers. Invalid parts are left out and reported. */
export function readAgentsConfig(given: Json | undefined): AgentsReading {
  const table = isJsonObject(given) ? given : undefined;
  const problems: Outcome<'agents-config'>[] = [];
  const read = <Value extends Json>(key: string, isRight: (value: Json) => boolean, expected: string) => {
    const value = table?.[key];
    if (value === undefined || isRight(value)) return value as Value | undefined;
    const message = `agents.${key} must be ${expected}.`;
    problems.push({ code: 'agents-config', message, next: 'Correct it in config.toml.' });
    return undefined;
  };
  const count = (key: string): number | undefined =>
    read(key, (value) => Number.isInteger(value) && Number(value) >= 1, 'a whole number of at least 1');
  const text = (key: string): string | undefined =>
    read(key, (value) => typeof value === 'string' && value.trim() !== '', 'a name');
  const isLimit = (value: Json): boolean => Number.isInteger(value) && Number(value) >= 0;
  return {
    agents: {
      running: count('max_concurrent_threads_per_session') ?? count('max_threads') ?? usual.running,
      depth: read<number>('max_depth', isLimit, 'a whole number') ?? usual.depth,
      ...defined({
        enabled: read<boolean>('enabled', (value) => typeof value === 'boolean', 'true or false'),
        tokens: count('max_tokens'),
        defaultModel: text('default_subagent_model'),
        defaultEffort: text('default_subagent_reasoning_effort'),
      }),
    },
    problems,
  };
}

/** True if the configuration enables agents and nothing forbids them. */
export function mayStartAgents(table: Json | undefined, features: Readonly<Record<string, boolean>> = {}): boolean {
  const enabled = isJsonObject(table) ? table['enabled'] : undefined;
  if (enabled === false || features['multi_agent'] === false) return false;
  return enabled === true || isGateOpen('multi_agent', features);
}

export interface AgentRole {
  readonly name: string;
  readonly description: string;
  /** Added to the configured instructions. */
  readonly instructions?: string;
  readonly model?: string;
  readonly effort?: string;
  readonly overrides: readonly Override[];
  readonly withoutTools?: readonly string[];
  /** The agent changes no files, whatever its parent may do. */
  readonly readOnly?: true;
}

/** The first is the default. */
export const builtInRoles: readonly AgentRole[] = [
  { name: 'default', description: 'any task.', overrides: [] },
  {
    name: 'explorer',
    description: 'a question about the code, answered from the files. It cannot change files.',
    instructions:
      'You answer one question about this workspace for another agent. Look, do not change anything, and answer with facts: paths, names and lines. Say what you did not find.',
    overrides: [],
    readOnly: true,
  },
  {
    name: 'worker',
    description: 'a change that is described in full, such as one part of a larger task.',
    instructions:
      'You do one part of a larger task for another agent. Others may work in the same folder: change only what your task names, and say at the end what you changed and what is left.',
    overrides: [],
  },
];

const fixable = ['model_reasoning_summary', 'model_verbosity', 'personality', 'service_tier'] as const;

/** Features that a role may switch off; it cannot switch one on. Hooks are not among them: they watch every agent. */
const closableGates = words(
  'apps current_time_reminder image_generation memories multi_agent plugins sleep_tool token_budget',
);

/** Features with the tools that an agent loses if its role switches the feature off. */
const toolsOfFeature: Readonly<Record<string, readonly string[]>> = {
  shell_tool: ['exec_command'],
  request_permissions_tool: ['request_permissions'],
};

const closableFeatures = [...closableGates, ...Object.keys(toolsOfFeature), 'personality'].toSorted();

export function readRole(name: string, table: JsonObject, description: string): AgentRole {
  const instructions = stringAt(table, 'developer_instructions')?.trim();
  const gates = featureGates((objectAt(table, 'features') ?? {}) as Parameters<typeof featureGates>[0]);
  const isClosed = (name: string): boolean => gates[name] === false;
  const overrides: Override[] = [
    ...fixable.flatMap((key) => {
      const value = stringAt(table, key);
      return value === undefined ? [] : [{ path: [key], value }];
    }),
    ...(isClosed('personality') ? [{ path: ['personality'], value: 'none' }] : []),
    ...closableGates.filter(isClosed).map((gate) => ({ path: ['features', gate], value: false })),
  ];
  const withoutTools = Object.keys(toolsOfFeature)
    .filter(isClosed)
    .flatMap((name) => toolsOfFeature[name] ?? []);
  return {
    name,
    description,
    overrides,
    ...defined({ model: stringAt(table, 'model'), effort: stringAt(table, 'model_reasoning_effort') }),
    ...(instructions && { instructions }),
    ...(withoutTools.length > 0 && { withoutTools }),
    ...(table['sandbox_mode'] === 'read-only' && { readOnly: true }),
  };
}

/** The settings that an agent's role fixes: the model that starts it cannot choose them. Undefined if none. */
export function describeFixedChoices({ model, effort, withoutTools, readOnly }: AgentRole): string | undefined {
  const fixed = [
    ...(model === undefined ? [] : [`model ${model}`]),
    ...(effort === undefined ? [] : [`effort ${effort}`]),
    ...(withoutTools === undefined ? [] : [`without ${withoutTools.join(' and ')}`]),
    ...(readOnly === true ? ['read-only'] : []),
  ];
  return fixed.length === 0 ? undefined : fixed.join(', ');
}

const least = (min: number) => ({ type: 'integer', min }) as const;

/** Keys of `[agents.NAME]` and of a role's own file. */
export const agentRoleSchema: TableKind<SchemaKeys> = {
  type: 'table',
  keys: {
    name: nameKind,
    description: textKind,
    config_file: nameKind,
    developer_instructions: textKind,
    model: nameKind,
    model_reasoning_effort: nameKind,
    model_reasoning_summary: nameKind,
    model_verbosity: nameKind,
    personality: nameKind,
    service_tier: nameKind,
    sandbox_mode: choiceKind(['read-only', 'workspace-write', 'danger-full-access']),
    features: { type: 'toggles', names: featureNames, tables: 'allowed', closable: closableFeatures },
  },
  unused: ['nickname_candidates', 'skills', 'mcp_servers'],
  unknown: 'warning',
};

export const agentsSchema: TableKind<SchemaKeys> = {
  type: 'table',
  keys: {
    enabled: flagKind,
    max_threads: least(1),
    max_concurrent_threads_per_session: least(1),
    max_depth: least(0),
    max_tokens: least(1),
    default_subagent_model: nameKind,
    default_subagent_reasoning_effort: nameKind,
  },
  unused: ['interrupt_message', 'job_max_runtime_seconds'],
  unknown: 'warning',
  others: agentRoleSchema,
};
