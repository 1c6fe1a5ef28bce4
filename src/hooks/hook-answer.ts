import type { HookVerdict } from '../ports/hooks.ts';
import type { HookEntry, HookEvent, HookRun } from '../protocol/hook-run.ts';

/** What one hook said. */
export interface HookAnswer extends Pick<
  HookVerdict,
  'blocked' | 'stopped' | 'decision' | 'decisionReason' | 'updatedInput' | 'updatedOutput'
> {
  readonly status: HookRun['status'];
  readonly entries: readonly HookEntry[];
  /** For the model. */
  readonly context?: string;
}

export function failedHook(text: string): HookAnswer {
  return { status: 'failed', entries: [{ kind: 'error', text }] };
}

export function blockedBy(reason: string, more: Partial<HookAnswer> = {}): HookAnswer {
  return { ...more, status: 'blocked', blocked: reason, entries: [...(more.entries ?? []), feedback(reason)] };
}

function feedback(text: string): HookEntry {
  return { kind: 'feedback', text };
}

/** Events at which a hook can say no. */
export const blockable: ReadonlySet<HookEvent> = new Set<HookEvent>([
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'UserPromptSubmit',
  'Stop',
  'SubagentStop',
]);

/** Events at which plain text is for the model. */
export const takesText: ReadonlySet<HookEvent> = new Set<HookEvent>([
  'SessionStart',
  'UserPromptSubmit',
  'SubagentStart',
]);
