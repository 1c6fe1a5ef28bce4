/** The moments at which hooks run, by the names that files of hooks use. */
export const hookEvents = [
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'PreCompact',
  'PostCompact',
  'SessionStart',
  'SessionEnd',
  'UserPromptSubmit',
  'SubagentStart',
  'SubagentStop',
  'Stop',
] as const;

export type HookEvent = (typeof hookEvents)[number];

/** One hook that ran, as lines and surfaces have it. */
export interface HookRun {
  readonly id: string;
  /** Which hook: its file, event and place in it. */
  readonly key: string;
  readonly event: HookEvent;
  /** What was started, cut to one short line. */
  readonly command: string;
  /** `blocked`: it said no. `stopped`: it ends the turn. `failed`: it broke, or its answer makes no sense. */
  readonly status: 'completed' | 'blocked' | 'stopped' | 'failed';
  readonly durationMs: number;
  /** What it said, each cut to a length for screens. What the model reads of it stands in messages of its own. */
  readonly entries: readonly HookEntry[];
}

export interface HookEntry {
  /** `change`: what it made of the call, or of its result. */
  readonly kind: 'warning' | 'feedback' | 'stop' | 'context' | 'change' | 'error';
  readonly text: string;
}
