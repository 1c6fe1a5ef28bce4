import type { Allowed, Requirements } from '../policy/requirements.ts';
import type { CompileBase } from '../policy/tables/compile-profile.ts';
import type { ProfileWidth } from '../policy/profile-width.ts';
import { defined } from '../protocol/defined.ts';
import { isJsonObject, type JsonObject, objectAt } from '../protocol/json.ts';
import type { ApprovalPolicy, SandboxMode } from '../protocol/permission-profile.ts';
import type { ApprovalsReviewer } from '../protocol/review-verdict.ts';
import { camelCased } from './camel-case.ts';
import { checkLayers } from './check-layers.ts';
import { checkValues } from './check-values.ts';
import { type ConfigLayer, sourceOf } from './config-layer.ts';
import { type ConfigProblem, keyProblem } from './config-problem.ts';
import { locate } from './permission-profiles.ts';
import { requiredProfiles, type RequiredProfiles } from './required-profiles.ts';
import { requiredServers } from './required-servers.ts';
import { featureGates } from './feature-gates.ts';
import { requirementTable, type RequirementValues, unenforcedKeys } from './requirement-keys.ts';
import { requirementRules } from './requirement-rules.ts';

export interface ReadRequirements {
  readonly requirements: Requirements;
  readonly problems: readonly ConfigProblem[];
}

/** What `requirements.toml` demands, and over it the managed configuration. A caller that finds an error must stop. */
export function readRequirements(
  file: ConfigLayer,
  managed: ConfigLayer | undefined,
  base: CompileBase,
): ReadRequirements {
  const checked = checkValues(requirementTable, file, { unknown: 'error' });
  const values = camelCased(requirementTable, checked.values);
  const { rules, problems: ofRules } = requirementRules(file, values.rules?.prefixRules ?? []);
  const profiles = requiredProfiles({ ...file, values: checked.values }, base);
  const { servers: mcpServers, problems: ofServers } = requiredServers({ ...file, values: checked.values });
  const problems = [
    ...checked.problems,
    ...unenforced(file, checked.values),
    ...withoutReadOnly(file, values),
    ...ofRules,
    ...[...profiles.problems, ...ofServers].map((problem) => locate([file], problem)),
  ];
  const held = defined({ rules: rules.length === 0 ? undefined : rules, mcpServers });
  return { requirements: { ...demanded(file, values, profiles), ...held, ...decided(managed) }, problems };
}

function demanded(file: ConfigLayer, values: RequirementValues, profiles: RequiredProfiles): Requirements {
  const approvals = allowed(file, 'allowed_approval_policies', values.allowedApprovalPolicies);
  const reviewers = allowed(file, 'allowed_approvals_reviewers', values.allowedApprovalsReviewers);
  const sandboxModes = allowed(file, 'allowed_sandbox_modes', values.allowedSandboxModes);
  const pins = { ...featureGates(values.featureRequirements ?? {}), ...featureGates(values.features ?? {}) };
  const { denyRead: patterns, tables } = profiles;
  const instructions = values.additionalDeveloperInstructions ?? '';
  const { model, modelReasoningEffort: effort, serviceTier } = values.models?.newThread ?? {};
  const newThread = defined({ model, effort, serviceTier });
  const { ignoreRules: ignored = [] } = values.autoReview ?? {};
  const hooks = isJsonObject(values.hooks) ? values.hooks : undefined;
  const deniedAt = sourceOf(file, ['permissions', 'filesystem', 'deny_read']);
  return defined({
    approvals,
    reviewers,
    reviewPolicy: values.guardianPolicyConfig?.trim() === '' ? undefined : values.guardianPolicyConfig,
    sandboxModes,
    profiles: profiles.allowed,
    profileTables: Object.keys(tables).length === 0 ? undefined : tables,
    denyRead: patterns.length === 0 ? undefined : { patterns, source: deniedAt },
    features: Object.keys(pins).length === 0 ? undefined : { pins, source: file.source },
    instructions: instructions.trim() === '' ? undefined : instructions,
    allowIgnoredOn: ignored.length === 0 ? undefined : ignored,
    webSearchModes: values.allowedWebSearchModes,
    allowLoginShell: values.allowLoginShell,
    loginMethods: values.allowedLoginMethods,
    loginWorkspaces: values.allowedChatgptWorkspaces,
    credentialStore: values.cliAuthCredentialsStore,
    hooks: hooks === undefined ? undefined : { table: hooks, source: file.source },
    managedHooksOnly: values.allowManagedHooksOnly === true ? (true as const) : undefined,
    newThread: Object.keys(newThread).length === 0 ? undefined : newThread,
  });
}

/** What the managed configuration says about these three is a demand as well. */
function decided(managed: ConfigLayer | undefined): Pick<Requirements, 'approvals' | 'reviewers' | 'sandboxModes'> {
  if (managed === undefined) return {};
  const [checked] = checkLayers([managed], { unknown: 'error' });
  // All were held against the table of keys, which has the same choices.
  const approval = checked?.values['approval_policy'] as ApprovalPolicy | undefined;
  const reviewer = checked?.values['approvals_reviewer'] as ApprovalsReviewer | undefined;
  const mode = checked?.values['sandbox_mode'] as SandboxMode | undefined;
  return defined({
    approvals: allowed(managed, 'approval_policy', approval && [approval]),
    reviewers: allowed(managed, 'approvals_reviewer', reviewer && [reviewer]),
    sandboxModes: allowed<ProfileWidth>(managed, 'sandbox_mode', mode && [mode, 'read-only']),
  });
}

function allowed<Value>(
  layer: ConfigLayer,
  key: string,
  values: readonly Value[] | undefined,
): Allowed<Value> | undefined {
  const [first, ...others] = [...new Set(values)];
  return first === undefined ? undefined : { allowed: [first, ...others], source: sourceOf(layer, [key]), key };
}

function withoutReadOnly(file: ConfigLayer, values: RequirementValues): readonly ConfigProblem[] {
  if (values.allowedSandboxModes?.includes('read-only') !== false) return [];
  return [
    keyProblem(file, ['allowed_sandbox_modes'], {
      code: 'config-wrong-value',
      severity: 'error',
      what: 'must contain "read-only"',
      next: 'Add "read-only" to the list.',
    }),
  ];
}

const insteadOfOthers =
  'Use allowed_sandbox_modes and permissions.filesystem.deny_read to choose what commands may access.';
const insteadOf: Readonly<Record<string, string>> = {
  'auto_review.required_on_models': 'Use allowed_approvals_reviewers to choose who answers, for all models.',
};

function unenforced(file: ConfigLayer, values: JsonObject): readonly ConfigProblem[] {
  return unenforcedKeys
    .filter(([table = '', key]) => {
      const value = objectAt(values, table);
      return key === undefined ? Object.hasOwn(values, table) : value !== undefined && Object.hasOwn(value, key);
    })
    .map((path) =>
      keyProblem(file, path, {
        code: 'config-unsupported-key',
        severity: 'warning',
        what: 'is not enforced by this version',
        next: insteadOf[path.join('.')] ?? insteadOfOthers,
      }),
    );
}
