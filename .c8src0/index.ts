export { Engine } from './engine/engine.ts';
export type { EngineOptions } from './engine/engine-options.ts';
export type { WireFormat } from './adapters/model/http/http-client.ts';
export type { ModelClient } from './ports/model.ts';
export type { Encoder } from './ports/model.ts';
export type { ProviderCapabilities } from './ports/model.ts';
export type { AnsweredThread, AnswerRequest } from './engine/answer-thread.ts';
export type { EngineRefused } from './engine/engine-refused.ts';
export type { OpenedThread } from './engine/thread-setup/open-thread.ts';
export { type LiveOptions, liveThreads } from './engine/live/live-threads.ts';
export type {
  FollowOptions,
  LiveNews,
  LiveRequest,
  LiveThread,
  LiveThreads,
  LiveTurn,
} from './engine/live/live-thread-types.ts';
export type { ThreadUsage } from './engine/thread/context/window-use.ts';
export type { FindFiles, FoundFile, FoundFiles } from './engine/workspace/find-mentionable.ts';
export type { RerunAnswers, RerunStep, StepAnswered } from './engine/rerun-step.ts';
export type { ReviewCode, ReviewedCode } from './engine/review/review-code.ts';
export type { CodeReview, ReviewFinding, ReviewTarget } from './protocol/thread-event.ts';
export type { StoredThreads } from './engine/store/stored-threads.ts';
export type { ThreadRequest } from './engine/thread-request.ts';
export type { ThreadCheckpoint } from './engine/store/stored-thread-details.ts';
export type { CompactionResult } from './engine/thread/checkpoint/compaction-result.ts';
export { type InteractiveCommand, interactiveCommand } from './surfaces/views/wording/interactive-command.ts';
export type { Pin } from './core/state/fold/pinned-notes.ts';
export type { PinsChanged } from './engine/thread/branch/pinned-notes.ts';
export type { SettingsChange } from './core/envelope/apply-settings-change.ts';
export type { Answered } from './engine/thread/client-input.ts';
export type { Steered, Steering } from './engine/thread/client-input.ts';
export type { UserShell, UserShellRan } from './engine/thread/user-shell.ts';
export type { Injected } from './engine/thread/client-input.ts';
export type { ThreadTurn } from './engine/thread/read-turn.ts';
export type { Overridden } from './engine/thread/thread-settings.ts';
export type { Thread } from './engine/thread/thread.ts';
export type { AboutCheckpoint, CheckpointHooks } from './engine/thread/thread-parts.ts';
export type { WaitingMessage } from './core/state/fold/waiting-messages.ts';
export type { TurnResult } from './engine/thread/turn/settle-turn.ts';
export type { Answer, AnswerScope, Question, QuestionKind } from './protocol/question.ts';
export type { ClientFunction, ClientNamespace, ClientTool } from './protocol/client-tool.ts';
export type { ExtraPermissions } from './protocol/permissions.ts';
export type { AskUser } from './ports/ask-user.ts';
export type { RuleBook, RuleToSave } from './ports/ask-user.ts';
export type { CheckpointReport } from './protocol/thread-event.ts';
export type { ProvisionalEvent } from './protocol/thread-event.ts';
export type { ThreadNews } from './engine/thread/event-stream.ts';
export type { ThreadSubscriber } from './engine/thread/event-stream.ts';
export type { CheckpointEvent, ThreadEvent } from './protocol/thread-event.ts';
export type { OpenThread, Threads, WantedThread } from './ports/threads.ts';
export type { OwnTool, OwnToolCall, OwnToolResult } from './adapters/tools/own-tool.ts';
export type { CommandItem, ToolCallItem, TurnItem } from './protocol/turn-item.ts';
export type { Cost, Usage } from './protocol/usage.ts';
export type { RateLimit, RateLimits } from './protocol/rate-limits.ts';
export type { SpendingLimits } from './core/envelope/settings.ts';
export type { Blobs } from './ports/thread-store.ts';
export type { Clock } from './ports/system.ts';
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
} from './ports/thread-store.ts';
export type { ContentsDraft, SnapshotContents, WorkspaceContents } from './ports/workspace.ts';
export type { Seals } from './ports/thread-store.ts';
export { sealsWithKey } from './adapters/gather/home-seals.ts';
export type { ThreadDirectory } from './ports/thread-store.ts';
export type { ThreadStore } from './ports/thread-store.ts';
export type { JsonObject } from './protocol/json.ts';
export type { Line, LineDraft } from './protocol/line.ts';
export { Fault, type Outcome } from './protocol/outcome.ts';
export { type Ordinal, parseThreadId, type ThreadId, type TurnId } from './protocol/ids.ts';
export { version } from './protocol/version.ts';
export { type Author, type UserImage, type UserInput, words, writtenBy } from './protocol/user-input.ts';
