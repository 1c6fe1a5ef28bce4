import type { Escalation } from '../../policy/approval.ts';
import { defined } from '../../protocol/defined.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { permissionsSchema, type NamingPaths, readPermissions } from '../permissions-argument.ts';

const modes = ['use_default', 'with_additional_permissions', 'require_escalated'] as const;
type Mode = (typeof modes)[number];

/** How a command asks for more than the sandbox grants. */
export const wideningProperties: JsonObject = {
  sandbox_permissions: {
    type: 'string',
    enum: modes,
    description:
      'use_default (default): inside the sandbox. with_additional_permissions: inside it with what additional_permissions names. require_escalated: outside of it. The last two ask the user.',
  },
  justification: {
    type: 'string',
    description: 'One short question to the user about why the command needs it. Only with one of the last two.',
  },
  additional_permissions: permissionsSchema,
};

/** How it proposes a rule, where the answer may save one. */
export const proposingProperties: JsonObject = {
  prefix_rule: {
    type: 'array',
    items: { type: 'string' },
    description:
      'First words of this and similar commands: a rule to propose with the question. Only with require_escalated.',
  },
};

export interface AskingCall extends NamingPaths {
  /** The parameters are offered. */
  readonly canAsk: boolean;
}

/** What the model asks for; undefined: nothing; a string: what is wrong. A member that is null is left out. */
export function readEscalation(value: JsonObject, { cwd, disk, canAsk }: AskingCall): Escalation | string | undefined {
  // What was not offered is not explained: the policy refuses it in its own words.
  if (!canAsk) return modes.indexOf(value['sandbox_permissions'] as Mode) > 0 ? {} : undefined;
  const { sandbox_permissions: asked = null, justification = null, prefix_rule: prefix = null } = value;
  const named = value['additional_permissions'] ?? null;
  const mode = asked === null ? 'use_default' : modes.find((each) => each === asked);
  if (mode === undefined) return `\`sandbox_permissions\` must be one of ${modes.join(', ')}.`;
  if (justification !== null && typeof justification !== 'string') return '`justification` must be a string.';
  if (prefix !== null && !isWords(prefix)) return '`prefix_rule` must be a list of strings.';
  if (named !== null && mode !== 'with_additional_permissions') {
    return '`additional_permissions` needs `sandbox_permissions` to be with_additional_permissions.';
  }
  if (mode === 'use_default') {
    // A reason for nothing: it shows that more was meant.
    const needless = justification !== null && justification.trim() !== '' && asked === null;
    return needless ? '`justification` needs `sandbox_permissions`.' : undefined;
  }
  const reason = justification?.trim() || undefined;
  if (mode === 'require_escalated') return defined({ reason, prefix: prefix ?? undefined });
  if (named === null) return '`with_additional_permissions` needs `additional_permissions`.';
  const permissions = readPermissions(named, 'additional_permissions', { cwd, disk });
  return typeof permissions === 'string' ? permissions : { ...defined({ reason }), permissions };
}

function isWords(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((word) => typeof word === 'string');
}
