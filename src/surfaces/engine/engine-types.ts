/** Types of rooms below that the methods of the engine give and take: surfaces know them from here. */
export type { Overrides } from '../../gather/config-layers.ts';
export type { Collected } from '../../rollout/collect.ts';
export type { CompressReport, ToCompress } from '../../rollout/compressed-threads.ts';
export type { NextRequest } from '../../thread/preview.ts';
export type { Unproven } from '../../thread/unproven.ts';
export type { RollbackTo, RolledBack } from '../../thread/rollback-range.ts';
export type { TurnResult } from '../../thread/settle.ts';
export type { ThreadTurn } from '../../thread/thread.ts';
export type { ChangedFiles, FileChange, ThreadFiles } from '../../workspace/file-changes.ts';
export type { RestoreReport, RestoreTarget } from '../../workspace/restore-files.ts';
export type { KeptReason } from '../../workspace/restore-plan.ts';
