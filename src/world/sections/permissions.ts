import { render } from '../../fragments/define.ts';
import { fingerprint } from '../../fragments/fingerprint.ts';
import {
  permissionsFragment,
  type PermissionsText,
  permissionsWithdrawnFragment,
} from '../../fragments/permissions.ts';
import { describePolicy } from '../../policy/describe-policy.ts';
import { isJsonObject, type JsonObject, stringAt } from '../../protocol/json.ts';
import { type Section, unknown } from '../section.ts';

/** Another program adds command prefixes that the user approved; we have none and write the empty list it expects. */
interface StoredPermissions extends JsonObject {
  readonly instructions: string;
  readonly approved_command_prefixes: readonly never[];
}

/** Permissions belong together: any change restates them all. */
export const permissionsSection: Section<PermissionsText, StoredPermissions> = {
  id: 'permissions',

  of: ({ envelope: { policy, workspace } }) => ({
    ...describePolicy(policy.resolved, workspace.cwd),
    approval: policy.approval,
    approvedPrefixes: [],
    networkRules: [],
  }),

  stored: (fact) => ({
    instructions: fingerprint(render(permissionsFragment, fact)),
    approved_command_prefixes: [],
  }),

  read(stored) {
    if (!isJsonObject(stored)) return undefined;
    const instructions = stringAt(stored, 'instructions');
    const prefixes = stored['approved_command_prefixes'];
    if (instructions === undefined || !Array.isArray(prefixes) || prefixes.length > 0) return undefined;
    return { instructions, approved_command_prefixes: [] };
  },

  full: (now) => [render(permissionsFragment, now)],

  change(before, now) {
    if (now === undefined) return [render(permissionsWithdrawnFragment, undefined)];
    const same = before !== unknown && before.instructions === permissionsSection.stored(now).instructions;
    return same ? [] : permissionsSection.full(now);
  },
};
