import { explainsScripts } from '../../fragments/sections/approval-text.ts';
import { approvedPlace, approvedPrefixesFragment } from '../../fragments/sections/approved-prefixes.ts';
import { render } from '../../fragments/text/define.ts';
import { fingerprint } from '../../fragments/text/fingerprint.ts';
import { networkRulesFragment } from '../../fragments/sections/network-rules.ts';
import { permissionsFragment, type PermissionsText } from '../../fragments/sections/permissions.ts';
import { describePolicy } from '../../policy/describe-policy.ts';
import { isReviewed } from '../../policy/review/is-reviewed.ts';
import { defined } from '../../protocol/defined.ts';
import { arrayAt, equalJson, isJsonObject, type Json, type JsonObject, stringAt } from '../../protocol/json.ts';
import { type Section, unknown } from './section.ts';

/** The first two keys are shared with other programs, which know no saved rules. */
interface StoredPermissions extends JsonObject {
  /** Digest of the text without prefixes and rules. */
  readonly instructions: string;
  readonly approved_command_prefixes: readonly (readonly string[])[];
  /** `allow HOST` or `deny HOST`. */
  readonly capstan_network_rules?: readonly string[];
}

/** Permissions belong together: any change restates them all, save that an approval or a rule was added. */
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
      // Rules that hold are in the lists already, and without lists none holds.
      networkRules: [],
      ...defined({ granted }),
    };
  },

  stored(fact) {
    const rules = fact.networkRules.map(({ host, action }) => `${action} ${host}`);
    return {
      instructions: fingerprint(render(permissionsFragment, { ...fact, approvedPrefixes: [], networkRules: [] })),
      approved_command_prefixes: fact.approvedPrefixes,
      ...(rules.length === 0 ? {} : { capstan_network_rules: rules }),
    };
  },

  read(stored) {
    if (!isJsonObject(stored)) return undefined;
    const instructions = stringAt(stored, 'instructions');
    const prefixes = arrayAt(stored, 'approved_command_prefixes');
    const rules = arrayAt(stored, 'capstan_network_rules');
    if (instructions === undefined || prefixes === undefined) return undefined;
    return {
      instructions,
      approved_command_prefixes: prefixes as unknown as StoredPermissions['approved_command_prefixes'],
      ...(rules === undefined ? {} : { capstan_network_rules: rules as readonly string[] }),
    };
  },

  full: (now) => [render(permissionsFragment, now)],

  change(before, now) {
    if (now === undefined) return [render(permissionsFragment.withdrawn, undefined)];
    if (before === unknown) return permissionsSection.full(now);
    const stored = permissionsSection.stored(now);
    const prefixes = added(before.approved_command_prefixes, stored.approved_command_prefixes);
    const rules = added(before.capstan_network_rules ?? [], stored.capstan_network_rules ?? []);
    if (before.instructions !== stored.instructions || prefixes === undefined || rules === undefined) {
      return permissionsSection.full(now);
    }
    const newPrefixes = now.approvedPrefixes.filter((prefix) => prefixes.some((each) => equalJson(each, prefix)));
    const newRules = now.networkRules.filter(({ host, action }) => rules.includes(`${action} ${host}`));
    const more = { added: newPrefixes, place: approvedPlace(now), explained: !explainsScripts(now) };
    return [
      ...(newPrefixes.length === 0 ? [] : [render(approvedPrefixesFragment, more)]),
      ...(newRules.length === 0 ? [] : [render(networkRulesFragment, { added: newRules })]),
    ];
  },
};

/** What came to a list; undefined when anything has left it. */
function added<Member extends Json>(before: readonly Member[], now: readonly Member[]): readonly Member[] | undefined {
  const has = (list: readonly Member[], member: Member): boolean => list.some((each) => equalJson(each, member));
  if (!before.every((member) => has(now, member))) return undefined;
  return now.filter((member) => !has(before, member));
}
