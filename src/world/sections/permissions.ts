import { explainsScripts } from '../../fragments/sections/approval-text.ts';
import { approvedPlace, approvedPrefixesFragment } from '../../fragments/sections/approved-prefixes.ts';
import { render } from '../../fragments/text/define.ts';
import { fingerprint } from '../../fragments/text/fingerprint.ts';
import { permissionsFragment, type PermissionsText } from '../../fragments/sections/permissions.ts';
import { describePolicy } from '../../policy/describe-policy.ts';
import { heldPatterns } from '../../policy/rules/held-patterns.ts';
import { isReviewed } from '../../policy/review/is-reviewed.ts';
import { defined } from '../../protocol/defined.ts';
import { arrayAt, equalJson, isJsonObject, type Json, type JsonObject, stringAt } from '../../protocol/json.ts';
import { type Section, unknown } from './section.ts';

/** The keys are shared with other programs. */
interface StoredPermissions extends JsonObject {
  /** Digest of the text without prefixes. */
  readonly instructions: string;
  readonly approved_command_prefixes: readonly (readonly string[])[];
}

/** Permissions belong together: any change restates them all, save that an approval was added. */
export const permissionsSection: Section<PermissionsText, StoredPermissions> = {
  id: 'permissions',
  assumes: 'the model that must keep to them',
  kinds: { telling: [permissionsFragment.id], withdrawing: [permissionsFragment.withdrawn.id] },

  of({ envelope: { policy, workspace, modes }, facts: { granted } }) {
    if (modes.leaveOut.includes('permissions')) return undefined;
    return {
      ...describePolicy(policy.resolved, workspace.cwd),
      approval: policy.approval,
      canAsk: policy.canAsk === true,
      ...(isReviewed(policy) ? { reviewed: true as const } : {}),
      approvedPrefixes: policy.approvedPrefixes,
      held: heldPatterns(policy.rules),
      ...defined({ granted }),
      ...(granted?.network === true && policy.resolved.network === 'restricted'
        ? defined({ closedLists: policy.resolved.lists })
        : {}),
    };
  },

  stored(fact) {
    return {
      instructions: fingerprint(render(permissionsFragment, { ...fact, approvedPrefixes: [] })),
      approved_command_prefixes: fact.approvedPrefixes,
    };
  },

  read(stored) {
    if (!isJsonObject(stored)) return undefined;
    const instructions = stringAt(stored, 'instructions');
    const prefixes = arrayAt(stored, 'approved_command_prefixes');
    // Earlier versions told rules about hosts apart from the text. No change can take those back.
    const isOlder = 'capstan_network_rules' in stored;
    if (instructions === undefined || prefixes === undefined || isOlder) return undefined;
    return {
      instructions,
      approved_command_prefixes: prefixes as unknown as StoredPermissions['approved_command_prefixes'],
    };
  },

  full: (now) => [render(permissionsFragment, now)],

  change(before, now) {
    if (now === undefined) return [render(permissionsFragment.withdrawn, undefined)];
    if (before === unknown) return permissionsSection.full(now);
    const stored = permissionsSection.stored(now);
    const prefixes = added(before.approved_command_prefixes, stored.approved_command_prefixes);
    if (before.instructions !== stored.instructions || prefixes === undefined) return permissionsSection.full(now);
    const newPrefixes = now.approvedPrefixes.filter((prefix) => prefixes.some((each) => equalJson(each, prefix)));
    const more = { added: newPrefixes, place: approvedPlace(now), explained: !explainsScripts(now) };
    return newPrefixes.length === 0 ? [] : [render(approvedPrefixesFragment, more)];
  },
};

/** What came to a list; undefined when anything has left it. */
function added<Member extends Json>(before: readonly Member[], now: readonly Member[]): readonly Member[] | undefined {
  const has = (list: readonly Member[], member: Member): boolean => list.some((each) => equalJson(each, member));
  if (!before.every((member) => has(now, member))) return undefined;
  return now.filter((member) => !has(before, member));
}
