import { stringAt } from '../../../protocol/json.ts';
import type { ToolCallItem } from '../../../protocol/turn-item.ts';
import { recordedChanges } from '../../../tools/apply-patch/recorded-changes.ts';
import { callCell } from './call-cell.ts';
import type { Cell } from './cell.ts';
import { patchCell } from './patch-cell.ts';

/** How other programs answer a patch that they applied. */
const applied = /^(?:Exit code: 0\n|Success\.|\{"output":"Success\.)/;

/** A patch of which a file has the call and its answer alone, as old files of other programs do. Undefined: it is none. */
export function calledPatchCell(item: ToolCallItem): Cell | undefined {
  const { id, tool, arguments: given, output = '' } = item;
  const input = tool === 'apply_patch' ? stringAt(given, 'input') : undefined;
  if (input === undefined) return undefined;
  const end = applied.test(output)
    ? ({ status: 'completed' } as const)
    : ({ status: 'failed', problem: output } as const);
  return {
    rows(look) {
      const changes = recordedChanges({ changes: [], call: { tool, input } });
      return (changes.length === 0 ? callCell(item) : patchCell({ kind: 'file-change', id, changes, ...end })).rows(
        look,
      );
    },
  };
}
