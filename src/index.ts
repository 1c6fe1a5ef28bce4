/** The library: everything a program needs to run threads of its own. */
export { Engine } from './surfaces/engine/engine.ts';
export type { EngineOptions } from './surfaces/engine/engine-options.ts';
export type { WireFormat } from './model/http/wire-format.ts';
export type { ModelClient } from './ports/model-client.ts';
export type { Encoder } from './ports/prompt.ts';
export type { ProviderCapabilities } from './ports/provider.ts';
export type { AnsweredThread, AnswerRequest } from './surfaces/engine/answer-thread.ts';
export type { EngineRefused } from './surfaces/engine/engine-refused.ts';
export type { OpenedThread } from './surfaces/engine/open-thread.ts';
export { type LiveOptions, liveThreads } from './surfaces/engine/live/kept-threads.ts';
export type {
  FollowOptions,
  LiveNews,
  LiveRequest,
  LiveThread,
  LiveThreads,
  LiveTurn,
  ThreadUsage,
} from './surfaces/engine/live/live-thread.ts';
export type { FindFiles, FoundFile, FoundFiles } from './surfaces/engine/find-workspace-files.ts';
export type { RerunAnswers, RerunStep, StepAnswered } from './surfaces/engine/rerun-step.ts';
export type { ReviewCode, ReviewedCode } from './surfaces/engine/review-code.ts';
export type { CodeReview, ReviewFinding, ReviewTarget } from './protocol/code-review.ts';
export type { StoredThreads } from './surfaces/engine/stored-threads.ts';
export type { ThreadRequest } from './surfaces/engine/thread-request.ts';
export type { ThreadCheckpoint } from './surfaces/engine/thread-checkpoints.ts';
export type { CompactionResult } from './thread/parts/compaction-result.ts';
export { type InteractiveCommand, interactiveCommand } from './surfaces/wording/interactive-command.ts';
export type { Pin } from './state/pins.ts';
export type { PinsChanged } from './thread/branch/pinned-notes.ts';
export type { SettingsChange } from './envelope/override.ts';
export type { Answered } from './thread/answered.ts';
export type { Steered, Steering } from './thread/steering.ts';
export type { UserShell, UserShellRan } from './thread/user-shell.ts';
export type { Injected } from './thread/inject-item.ts';
export type { Overridden, Thread, ThreadTurn } from './thread/thread.ts';
export type { AboutCheckpoint, CheckpointHooks } from './thread/parts/parts.ts';
export type { WaitingMessage } from './state/waiting.ts';
export type { TurnResult } from './thread/turn/settle.ts';
export type { Answer, AnswerScope, Question, QuestionKind } from './protocol/question.ts';
export type { ClientFunction, ClientNamespace, ClientTool } from './protocol/client-tool.ts';
export type { ExtraPermissions } from './protocol/extra-permissions.ts';
export type { AskUser } from './ports/ask-user.ts';
export type { RuleBook, RuleToSave } from './ports/rule-book.ts';
export type { CheckpointReport } from './protocol/checkpoint-report.ts';
export type { ProvisionalEvent } from './protocol/provisional-event.ts';
export type { ThreadNews } from './thread/parts/event-stream.ts';
export type { ThreadSubscriber } from './thread/parts/subscribers.ts';
export type { CheckpointEvent, ThreadEvent } from './protocol/thread-event.ts';
export type { OpenThread, Threads, WantedThread } from './ports/threads.ts';
export type { OwnTool, OwnToolCall, OwnToolResult } from './tools/own-tool.ts';
export type { CommandItem, ToolCallItem, TurnItem } from './protocol/turn-item.ts';
export type { Cost, Usage } from './protocol/usage.ts';
export type { RateLimit, RateLimits } from './protocol/rate-limits.ts';
export type { SpendingLimits } from './envelope/settings.ts';
export type { Blobs } from './ports/blobs.ts';
export type { Clock } from './ports/clock.ts';
export type {
  CurrentRollout,
  HeldThread,
  OpenRefused,
  OpenRefusedCode,
  Owned,
  ReadOptions,
  ReadReport,
  Revert,
  RolloutPlace,
  RolloutStore,
  Wanted,
} from './ports/rollout-store.ts';
export type { ContentsDraft, SnapshotContents, WorkspaceContents } from './ports/snapshot-contents.ts';
export type { Seals } from './ports/seals.ts';
export { sealsWithKey } from './gather/system/home-seals.ts';
export type { ThreadDirectory } from './ports/thread-directory.ts';
export type { ThreadStore } from './ports/thread-store.ts';
export type { JsonObject } from './protocol/json.ts';
export type { Line, LineDraft } from './protocol/line.ts';
export { Fault, type Outcome } from './protocol/outcome.ts';
export { type Ordinal, parseThreadId, type ThreadId, type TurnId } from './protocol/ids.ts';
export { version } from './protocol/version.ts';
export { type Author, type UserImage, type UserInput, words, writtenBy } from './protocol/user-input.ts';
