import { approvalName } from '../../policy/approval-policy.ts';
import type { HookEvent } from '../../protocol/hook-run.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { Turn } from '../parts/parts.ts';

/** What the programs read on standard input: the members that all events have, and those of this one. */
export function hookInput(turn: Turn, event: HookEvent, about: JsonObject): JsonObject {
  const { threadId, turnId, envelope, log, parts } = turn;
  const common = {
    session_id: threadId,
    transcript_path: parts.isEphemeral === true ? null : log.location,
    cwd: envelope.workspace.cwd,
    hook_event_name: event,
  };
  if (event === 'SessionEnd') return { ...common, ...about };
  const model = envelope.identity.model.slug;
  if (event === 'PreCompact' || event === 'PostCompact') return { ...common, turn_id: turnId, model, ...about };
  const turns = event === 'SessionStart' ? {} : { turn_id: turnId };
  const agent = parts.agent === undefined ? {} : { agent_id: parts.agent.id, agent_type: parts.agent.role };
  return { ...common, ...turns, model, permission_mode: permissionMode(turn), ...agent, ...about };
}

/** In the words that other programs have for it. */
function permissionMode({ envelope: { policy, modes } }: Turn): string {
  if (modes.collaboration.mode === 'plan') return 'plan';
  return approvalName(policy.approval) === 'never' ? 'bypassPermissions' : 'default';
}
