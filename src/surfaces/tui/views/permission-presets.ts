import type { Settings } from '../../../envelope/settings.ts';
import { approvalName } from '../../../policy/approval-policy.ts';
import { sandboxLevelOf } from '../../../policy/describe-policy.ts';
import { oncePerObject } from '../../../protocol/once-per-object.ts';
import { policyInForce } from '../../wording/policy-in-force.ts';

/** What may be done without a question, by a name. */
export interface PermissionPreset {
  readonly label: string;
  readonly about: string;
  readonly sandbox: 'workspace-write' | 'read-only' | 'danger-full-access';
  readonly approval: 'on-request' | 'never';
}

export const permissionPresets: readonly PermissionPreset[] = [
  {
    label: 'Ask',
    about: 'work in this folder; ask before commands that need more',
    sandbox: 'workspace-write',
    approval: 'on-request',
  },
  { label: 'Read only', about: 'ask before every change', sandbox: 'read-only', approval: 'on-request' },
  {
    label: 'Full access',
    about: 'no sandbox and no questions: only where something else isolates Capstan',
    sandbox: 'danger-full-access',
    approval: 'never',
  },
];

/** Settings change seldom, and screens ask with every frame. */
const standing = oncePerObject((settings: Settings) => {
  const [sandbox, approval] = [sandboxLevelOf(policyInForce(settings)), approvalName(settings.approval)];
  const preset = permissionPresets.find((each) => each.sandbox === sandbox && each.approval === approval);
  return { sandbox, preset, words: preset?.label ?? `${sandbox}, ${approval}` };
});

/** The preset that holds. Undefined: the settings are others. */
export function presetOf(settings: Settings): PermissionPreset | undefined {
  return standing(settings).preset;
}

/** What holds, in few words. */
export function permissionWords(settings: Settings): string {
  return standing(settings).words;
}

/** What commands may do, by the name of the level. */
export function sandboxLevel(settings: Settings): string {
  return standing(settings).sandbox;
}
