import { defined } from '../../base/objects.ts';
import { isJsonObject, type Json, type JsonObject, numberAt, objectAt, stringAt } from '../../protocol/json.ts';
import { featureSwitches, featureNames, isGateOpen } from './features.ts';
import type { ConfigOverride } from './flag-overrides.ts';
import { choiceKind, booleanKey, keysOfKind, nameKey, textKey, words } from './keys/key-kinds.ts';
import type { SchemaKeys, TableKeyKind } from './keys/key-kinds.ts';

const usual = { running: 6, depth: 1 } as const;

/** Reads the table as merged from all layers, whose values `agentsSchema` has checked. */
export function readAgentsConfig(given: Json | undefined) {
  const table = isJsonObject(given) ? given : undefined;
  return {
    running: numberAt(table, 'max_concurrent_threads_per_session') ?? numberAt(table, 'max_threads') ?? usual.running,
    depth: numberAt(table, 'max_depth') ?? usual.depth,
    tokens: numberAt(table, 'max_tokens'),
    defaultModel: stringAt(table, 'default_subagent_model'),
    defaultEffort: stringAt(table, 'default_subagent_reasoning_effort'),
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
  readonly overrides: readonly ConfigOverride[];
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
  const gates = featureSwitches((objectAt(table, 'features') ?? {}) as Parameters<typeof featureSwitches>[0]);
  const isClosed = (name: string): boolean => gates[name] === false;
  const chosen = fixable.map((key) => ({ path: [key], value: stringAt(table, key) }));
  const overrides: ConfigOverride[] = [
    ...chosen.flatMap(({ path, value }) => (value === undefined ? [] : [{ path, value }])),
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
  const without = withoutTools && `without ${withoutTools.join(' and ')}`;
  const fixed = [model && `model ${model}`, effort && `effort ${effort}`, without, readOnly && 'read-only'];
  return fixed.filter(Boolean).join(', ') || undefined;
}

const least = (min: number) => ({ type: 'integer', min }) as const;

/** Keys of `[agents.NAME]` and of a role's own file. */
export const agentRoleSchema: TableKeyKind<SchemaKeys> = {
  type: 'table',
  keys: {
    name: nameKey,
    description: textKey,
    config_file: nameKey,
    developer_instructions: textKey,
    ...keysOfKind(nameKey, 'model model_reasoning_effort model_reasoning_summary model_verbosity'),
    ...keysOfKind(nameKey, 'personality service_tier'),
    sandbox_mode: choiceKind(['read-only', 'workspace-write', 'danger-full-access']),
    features: { type: 'toggles', names: featureNames, tables: 'allowed', closable: closableFeatures },
  },
  unused: ['nickname_candidates', 'skills', 'mcp_servers'],
  unknown: 'warning',
};

export const agentsSchema: TableKeyKind<SchemaKeys> = {
  type: 'table',
  keys: {
    enabled: booleanKey,
    max_threads: least(1),
    max_concurrent_threads_per_session: least(1),
    max_depth: least(0),
    max_tokens: least(1),
    ...keysOfKind(nameKey, 'default_subagent_model default_subagent_reasoning_effort'),
  },
  unused: ['interrupt_message', 'job_max_runtime_seconds'],
  unknown: 'warning',
  others: agentRoleSchema,
};
