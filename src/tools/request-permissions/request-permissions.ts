import { badArguments } from '../../fragments/answers/call-answers.ts';
import type { ToolSpec } from '../../ports/prompt.ts';
import { parseJsonObject, stringAt } from '../../protocol/json.ts';
import { defined } from '../../protocol/defined.ts';
import type { ToolCallItem } from '../../protocol/turn-item.ts';
import type { Tool } from '../define.ts';
import { pathNeeds, permissionsJson, permissionsSchema, readPermissions } from '../permissions-argument.ts';
import type { DiskLook } from '../where-paths-lead.ts';

const spec: ToolSpec = {
  type: 'function',
  name: 'request_permissions',
  description:
    'Asks the user for more than the sandbox grants, for all later commands of this turn. Returns what was granted, and for how long; commands need no parameters for it. Ask for as little as the task needs.',
  strict: false,
  parameters: {
    type: 'object',
    properties: {
      permissions: permissionsSchema,
      reason: { type: 'string', description: 'One short sentence that tells the user what it is for.' },
    },
    required: ['permissions'],
    additionalProperties: false,
  },
};

/** Has no effect of its own: the user's answer is kept, and later calls are decided with it. */
export function requestPermissionsTool({ disk }: { readonly disk: DiskLook }): Tool {
  return {
    name: 'request_permissions',
    asksAbout: 'permissions',
    spec,
    prepare({ callId, input }, { envelope: { workspace } }) {
      const given = parseJsonObject(input);
      if (given === undefined) return { kind: 'refused', output: badArguments('they are not a JSON object.') };
      const permissions = readPermissions(given['permissions'], 'permissions', { cwd: workspace.cwd, disk });
      if (typeof permissions === 'string') return { kind: 'refused', output: badArguments(permissions) };
      const reason = stringAt(given, 'reason');
      const tool = 'request_permissions';
      const item: ToolCallItem = { kind: 'tool-call', id: callId, tool, arguments: given, status: 'in-progress' };
      return {
        kind: 'prepared',
        item,
        needs: { request: { permissions, ...defined({ reason }) }, ...pathNeeds(disk, permissions) },
        idempotent: true,
        run({ allowed }) {
          // Granted already, in one way or another, where nothing was asked.
          const scope = allowed && (allowed === 'session' ? 'session' : 'turn');
          const output = JSON.stringify({ permissions: permissionsJson(permissions), scope });
          return Promise.resolve({ output, item: { ...item, status: 'completed', output } });
        },
      };
    },
  };
}
