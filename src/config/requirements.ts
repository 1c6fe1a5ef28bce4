import type { Allowed, NewThreadDefaults, Requirements } from '../policy/requirements.ts';
import { defined } from '../protocol/defined.ts';
import { camelCased } from './camel-case.ts';
import { checkLayers } from './check-layers.ts';
import { checkValues } from './check-values.ts';
import { type ConfigLayer, sourceOf } from './config-layer.ts';
import { type ConfigProblem, keyProblem } from './config-problem.ts';
import { featureGates } from './feature-gates.ts';
import { requirementTable, type RequirementValues, unenforcedKeys } from './requirement-keys.ts';

export interface ReadRequirements {
  readonly requirements: Requirements;
  readonly problems: readonly ConfigProblem[];
}

/**
 * What `requirements.toml` demands, with what the managed configuration decides over it: its approval policy is the
 * only one allowed, and its sandbox mode the widest. A caller that finds an error in `problems` must not continue.
 */
export function readRequirements(file: ConfigLayer, managed: ConfigLayer | undefined): ReadRequirements {
  const checked = checkValues(requirementTable, file, { unknown: 'error' });
  const values = camelCased(requirementTable, checked.values);
  const problems = [...checked.problems, ...unenforced(file, checked.values), ...withoutReadOnly(file, values)];
  return { requirements: { ...demanded(file, values), ...decided(managed) }, problems };
}

function demanded(file: ConfigLayer, values: RequirementValues): Requirements {
  const place = (...path: readonly string[]): string => sourceOf(file, path);
  const approvals = allowed(file, 'allowed_approval_policies', values.allowedApprovalPolicies);
  const sandboxModes = allowed(file, 'allowed_sandbox_modes', values.allowedSandboxModes);
  const pins = { ...featureGates(values.featureRequirements ?? {}), ...featureGates(values.features ?? {}) };
  const patterns = values.permissions?.filesystem?.denyRead ?? [];
  const instructions = values.additionalDeveloperInstructions ?? '';
  const newThread = newThreadDefaults(values);
  return {
    ...defined({ approvals, sandboxModes }),
    ...(patterns.length === 0
      ? {}
      : { denyRead: { patterns, source: place('permissions', 'filesystem', 'deny_read') } }),
    ...(Object.keys(pins).length === 0 ? {} : { features: { pins, source: file.source } }),
    ...(instructions.trim() === '' ? {} : { instructions }),
    ...defined({ allowLoginShell: values.allowLoginShell }),
    ...(Object.keys(newThread).length === 0 ? {} : { newThread }),
  };
}

function newThreadDefaults({ models }: RequirementValues): NewThreadDefaults {
  const { model, modelReasoningEffort: effort, serviceTier } = models?.newThread ?? {};
  return {
    ...defined({ model, effort, serviceTier }),
  };
}

/** What the managed configuration says about these two is a demand as well. */
function decided(managed: ConfigLayer | undefined): Pick<Requirements, 'approvals' | 'sandboxModes'> {
  if (managed === undefined) return {};
  const [checked] = checkLayers([managed], { unknown: 'error' });
  const approval = checked?.values['approval_policy'];
  const mode = checked?.values['sandbox_mode'];
  const approvals = allowed(managed, 'approval_policy', approval === undefined ? undefined : [approval]);
  const sandboxModes = allowed(managed, 'sandbox_mode', mode === undefined ? undefined : [mode, 'read-only']);
  return {
    // Both were held against the table of keys, which has the same choices.
    ...(approvals === undefined ? {} : { approvals: approvals as NonNullable<Requirements['approvals']> }),
    ...(sandboxModes === undefined ? {} : { sandboxModes: sandboxModes as NonNullable<Requirements['sandboxModes']> }),
  };
}

function allowed<Value>(
  layer: ConfigLayer,
  key: string,
  values: readonly Value[] | undefined,
): Allowed<Value> | undefined {
  const [first, ...others] = [...new Set(values)];
  return first === undefined ? undefined : { allowed: [first, ...others], source: sourceOf(layer, [key]), key };
}

function withoutReadOnly(
  file: ConfigLayer,
  { allowedSandboxModes: modes }: RequirementValues,
): readonly ConfigProblem[] {
  if (modes === undefined || modes.includes('read-only')) return [];
  return [
    keyProblem(file, ['allowed_sandbox_modes'], {
      code: 'config-wrong-value',
      severity: 'error',
      what: 'must contain "read-only"',
      next: 'Add "read-only" to the list.',
    }),
  ];
}

function unenforced(file: ConfigLayer, values: object): readonly ConfigProblem[] {
  return unenforcedKeys
    .filter((key) => Object.hasOwn(values, key))
    .map((key) =>
      keyProblem(file, [key], {
        code: 'config-unsupported-key',
        severity: 'warning',
        what: 'is not enforced by this version',
        next: 'Use allowed_sandbox_modes and permissions.filesystem.deny_read to say what commands may touch.',
      }),
    );
}
