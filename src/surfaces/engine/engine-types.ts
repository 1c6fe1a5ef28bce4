/** Types of rooms below that the methods of the engine give and take: surfaces know them from here. */
export type { RouteExplanation } from '../../sandbox/explain-routes.ts';
export type { Overrides } from '../../gather/config/config-layers.ts';
export type { Collected } from '../../rollout/collect/collect.ts';
export type { CompressReport, ToCompress } from '../../rollout/collect/compressed-threads.ts';
export type { NextRequest } from '../../thread/contract/preview.ts';
export type { CompactionResult } from '../../thread/parts/compaction-result.ts';
export type { Unproven } from '../../thread/branch/unproven.ts';
export type { RollbackTo, RollbackUndone, RolledBack } from '../../thread/branch/rollback-range.ts';
export type { TurnResult } from '../../thread/turn/settle.ts';
export type { ChangedFiles, TurnFileChange } from '../../workspace/file-changes.ts';
export type { RestoreDiff, RestoreReport, RestoreTarget } from '../../workspace/restore-files.ts';
export type { KeptReason } from '../../workspace/restore-plan.ts';
