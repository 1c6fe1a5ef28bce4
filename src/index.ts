/** The library: everything a program needs to run threads of its own. */
export { Engine } from './surfaces/engine.ts';
export type {
  CompactRequest,
  EngineOptions,
  EngineRefused,
  OpenedThread,
  ThreadCheckpoint,
  ThreadRequest,
} from './surfaces/engine.ts';
export type { CompactionResult } from './thread/compaction-result.ts';
export { interactiveCommand } from './surfaces/interactive-command.ts';
export type { InteractiveCommand } from './surfaces/interactive-command.ts';
export type { Pin } from './state/pins.ts';
export type { PinsChanged } from './thread/pinned-notes.ts';
export type { SettingsChange } from './envelope/override.ts';
export type { Steered, Steering } from './thread/steering.ts';
export type { Overridden, Thread, ThreadTurn } from './thread/thread.ts';
export type { AboutCheckpoint, CheckpointHooks } from './thread/parts.ts';
export type { TurnResult } from './thread/settle.ts';
export type { CheckpointReport } from './protocol/checkpoint-report.ts';
export type { CheckpointEvent, ThreadEvent } from './protocol/thread-event.ts';
export type { CommandItem, TurnItem } from './protocol/turn-item.ts';
export type { Usage } from './protocol/usage.ts';
export { Fault } from './protocol/outcome.ts';
export type { Outcome } from './protocol/outcome.ts';
export type { ThreadId, TurnId } from './protocol/ids.ts';
export { parseThreadId } from './protocol/ids.ts';
export { version } from './protocol/version.ts';
export { words } from './protocol/user-input.ts';
export type { UserImage, UserInput } from './protocol/user-input.ts';
