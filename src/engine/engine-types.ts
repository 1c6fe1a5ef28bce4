/** Types of lower layers in the engine's methods, exported here for surfaces. */
export type { RouteExplanation } from '../adapters/sandbox/explain-routes.ts';
export type { Overrides } from '../adapters/gather/config/config-layers.ts';
export type { Collected } from '../adapters/rollout/maintenance/remove-unreferenced.ts';
export type { CompressReport, ToCompress } from '../adapters/rollout/maintenance/compress-threads.ts';
export type { NextRequest } from './thread/context/preview-request.ts';
export type { CompactionResult } from './thread/checkpoint/compaction-result.ts';
export type { RollbackTo, RollbackUndone, RolledBack } from './thread/branch/rollback-range.ts';
export type { TurnResult } from './thread/turn/settle-turn.ts';
export type { ChangedFiles, TurnFileChange } from './undo/file-changes.ts';
export type { RestoreDiff, RestoreReport, RestoreTarget } from './undo/restore-files.ts';
export type { KeptReason } from './undo/restore-plan.ts';
