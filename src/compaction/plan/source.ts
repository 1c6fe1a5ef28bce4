import type { History } from '../../history/history.ts';
import type { Item } from '../../protocol/item.ts';
import type { WorkRecords } from './work-records.ts';

/** What a checkpoint is made from. */
export interface CompactionSource {
  readonly history: History;
  /** The same as it is sent: `project` of the history. Requests name ranges of it. */
  readonly input: readonly Item[];
  readonly work: WorkRecords;
}
