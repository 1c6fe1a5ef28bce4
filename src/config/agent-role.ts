import { defined } from '../protocol/defined.ts';
import { type JsonObject, objectAt, stringAt } from '../protocol/json.ts';
import { featureGates } from './feature-gates.ts';
import type { Override } from './override.ts';

/** What an agent of this role is there for, and what is fixed for it. */
export interface AgentRole {
  readonly name: string;
  /** For the model that starts agents. */
  readonly description: string;
  /** Instructions of the role, beside those that are configured. */
  readonly instructions?: string;
  readonly model?: string;
  readonly effort?: string;
  /** Other settings that the role fixes. */
  readonly overrides: readonly Override[];
  /** Tools that it does without. */
  readonly withoutTools?: readonly string[];
  /** It changes no files, whatever its parent may do. */
  readonly readOnly?: true;
}

/** Roles that are always there. The first is the default. */
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

/** Settings that a role may fix, beside model, effort and instructions. */
const fixable = ['model_reasoning_summary', 'model_verbosity', 'personality', 'service_tier'] as const;

/** Gates that a role may close. It opens none, and hooks of the user watch every agent. */
const closableGates = [
  'apps',
  'current_time_reminder',
  'image_generation',
  'memories',
  'multi_agent',
  'plugins',
  'sleep_tool',
  'token_budget',
];

/** Features that are no gates here: a role does without their tools. */
const toolsOfFeature: Readonly<Record<string, readonly string[]>> = {
  shell_tool: ['exec_command'],
  request_permissions_tool: ['request_permissions'],
};

/** What `features` of a role may switch off. */
export const closableFeatures = [...closableGates, ...Object.keys(toolsOfFeature), 'personality'].toSorted();

/** A role as a table or a file says it. What a role may not change is left out. */
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
    ...(instructions === undefined || instructions === '' ? {} : { instructions }),
    ...(withoutTools.length === 0 ? {} : { withoutTools }),
    ...(table['sandbox_mode'] === 'read-only' ? { readOnly: true as const } : {}),
  };
}

/** What the model that starts agents cannot choose for a role; undefined where it can choose all. */
export function fixedOf({ model, effort, withoutTools, readOnly }: AgentRole): string | undefined {
  const fixed = [
    ...(model === undefined ? [] : [`model ${model}`]),
    ...(effort === undefined ? [] : [`effort ${effort}`]),
    ...(withoutTools === undefined ? [] : [`without ${withoutTools.join(' and ')}`]),
    ...(readOnly === true ? ['read-only'] : []),
  ];
  return fixed.length === 0 ? undefined : fixed.join(', ');
}
