import type { HookEvent } from '../protocol/hook-run.ts';

/** A hook as a file defines it. */
export interface HookDefinition {
  /** Its file, its event, and its place in both lists: what trust is stored under. */
  readonly key: string;
  readonly event: HookEvent;
  /** Absent: every subject. */
  readonly matcher?: string;
  readonly command: string;
  readonly timeoutSeconds: number;
  /** Nothing waits for it, so that it can neither block nor change anything. */
  readonly isAsync: boolean;
  /** What screens show while it runs. */
  readonly statusMessage?: string;
  /** Its own limit for one text for the model, in tokens. */
  readonly contextLimit?: number;
  /** A hook that breaks blocks what it was asked about. */
  readonly failClosed: boolean;
  /** Of the definition. Trust is given to this, and ends when the definition changes. */
  readonly hash: string;
  readonly source: HookSource;
}

export interface HookSource {
  /** The file, or what stands for flags. */
  readonly path: string;
  /** `managed`: of the administrator, always trusted. */
  readonly owner: 'managed' | 'user' | 'project' | 'flags';
}

/** `modified`: trusted once, and changed since. `disabled`: switched off in the configuration. */
export type HookTrust = 'managed' | 'trusted' | 'modified' | 'untrusted' | 'disabled';

export interface KnownHook extends HookDefinition {
  readonly trust: HookTrust;
}
