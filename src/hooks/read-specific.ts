import { defined } from '../protocol/defined.ts';
import type { HookEvent } from '../protocol/hook-run.ts';
import { isJsonObject, type Json, type JsonObject, objectAt, stringAt } from '../protocol/json.ts';
import type { HookAnswer } from './hook-answer.ts';

/** What the part of an answer says that belongs to one event. */
export type Specific = Partial<
  Pick<HookAnswer, 'context' | 'blocked' | 'decision' | 'decisionReason' | 'updatedInput' | 'updatedOutput'>
>;

const members: Readonly<Partial<Record<HookEvent, readonly string[]>>> = {
  PreToolUse: ['permissionDecision', 'permissionDecisionReason', 'updatedInput', 'additionalContext'],
  PermissionRequest: ['decision'],
  PostToolUse: ['additionalContext', 'updatedToolOutput', 'updatedMCPToolOutput'],
  UserPromptSubmit: ['additionalContext'],
  SessionStart: ['additionalContext'],
  SubagentStart: ['additionalContext'],
};

/** The answer, or why it makes no sense. */
export function readSpecific(event: HookEvent, own: JsonObject): Specific | string {
  if (own['hookEventName'] !== event) return `hookEventName must be "${event}".`;
  const known = ['hookEventName', ...(members[event] ?? [])];
  const odd = Object.keys(own).find((name) => !known.includes(name));
  if (odd !== undefined) return `${JSON.stringify(odd)} is unknown there.`;
  const text = stringAt(own, 'additionalContext');
  const context = text === undefined || text.trim() === '' ? undefined : text;
  switch (event) {
    case 'PreToolUse':
      return aboutCall(own, context);
    case 'PermissionRequest':
      return aboutQuestion(objectAt(own, 'decision'));
    case 'PostToolUse': {
      const output = own['updatedToolOutput'] ?? own['updatedMCPToolOutput'] ?? undefined;
      return defined({ context, updatedOutput: output === undefined ? undefined : textOf(output) });
    }
    default:
      return defined({ context });
  }
}

function aboutCall(own: JsonObject, context: string | undefined): Specific | string {
  const decision = own['permissionDecision'] ?? undefined;
  const reason = stringAt(own, 'permissionDecisionReason')?.trim();
  const updated = own['updatedInput'] ?? undefined;
  if (updated !== undefined && !isJsonObject(updated)) return 'updatedInput must be a table.';
  if (decision === 'deny') {
    return { blocked: reason ?? 'It gave no reason.', ...defined({ context }) };
  }
  if (decision !== undefined && decision !== 'allow' && decision !== 'ask') {
    return `The permissionDecision ${JSON.stringify(decision)} is unknown.`;
  }
  if (updated !== undefined && decision === undefined) return 'updatedInput needs a permissionDecision.';
  return { ...defined({ context, decisionReason: reason, updatedInput: updated }), ...(decision && { decision }) };
}

function aboutQuestion(decision: JsonObject | undefined): Specific | string {
  if (decision === undefined) return {};
  if (decision['updatedInput'] !== undefined || decision['updatedPermissions'] !== undefined) {
    return 'A question can be answered, and not changed.';
  }
  if (decision['interrupt'] === true) return 'interrupt is not supported.';
  const message = stringAt(decision, 'message')?.trim();
  if (decision['behavior'] === 'allow') return { decision: 'allow', ...defined({ decisionReason: message }) };
  if (decision['behavior'] === 'deny') return { blocked: message ?? 'It gave no reason.' };
  return `The behavior ${JSON.stringify(decision['behavior'] ?? null)} is unknown.`;
}

function textOf(output: Json): string {
  return typeof output === 'string' ? output : JSON.stringify(output);
}
