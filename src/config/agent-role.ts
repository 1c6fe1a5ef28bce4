import { defined } from '../protocol/defined.ts';
import { type JsonObject, objectAt, stringAt } from '../protocol/json.ts';
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

/** The names of gates that a role may close. It opens none. */
const closable = ['shell_tool', 'apps', 'personality', 'plugins', 'memories', 'request_permissions_tool'];

/** A role as a table or a file says it. What a role may not change is left out. */
export function readRole(name: string, table: JsonObject, description: string): AgentRole {
  const instructions = stringAt(table, 'developer_instructions')?.trim();
  const features = objectAt(table, 'features') ?? {};
  const overrides: Override[] = [
    ...fixable.flatMap((key) => {
      const value = stringAt(table, key);
      return value === undefined ? [] : [{ path: [key], value }];
    }),
    ...closable.flatMap((gate) => (features[gate] === false ? [{ path: ['features', gate], value: false }] : [])),
  ];
  return {
    name,
    description,
    overrides,
    ...defined({ model: stringAt(table, 'model'), effort: stringAt(table, 'model_reasoning_effort') }),
    ...(instructions === undefined || instructions === '' ? {} : { instructions }),
    ...(table['sandbox_mode'] === 'read-only' ? { readOnly: true as const } : {}),
  };
}

/** What the model that starts agents reads of a role, with what it cannot choose. */
export function roleWords({ description, model, effort, readOnly }: AgentRole): string {
  const fixed = [
    ...(model === undefined ? [] : [`model ${model}`]),
    ...(effort === undefined ? [] : [`effort ${effort}`]),
    ...(readOnly === true ? ['read-only'] : []),
  ];
  return fixed.length === 0 ? description : `${description} (fixed: ${fixed.join(', ')})`;
}
