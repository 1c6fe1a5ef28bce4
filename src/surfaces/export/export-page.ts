import { defined } from '../../protocol/defined.ts';
import { stringAt } from '../../protocol/json.ts';
import { type Line, lineType } from '../../protocol/line.ts';
import { readTurnItems, type TurnItems } from '../../state/turn-items.ts';

/** A thread as people read it: what both readable formats are made from. */
export interface ExportPage extends TurnItems {
  readonly id: string;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly program?: string;
  readonly cwd?: string;
  readonly forkedFrom?: string;
}

export function exportPage(id: string, lines: readonly Line[]): ExportPage {
  const meta = lines.find(({ type }) => type === lineType.sessionMeta)?.payload ?? {};
  const [cwd, forkedFrom] = [stringAt(meta, 'cwd'), stringAt(meta, 'forked_from_id')];
  const program = [stringAt(meta, 'originator'), stringAt(meta, 'cli_version')].filter(Boolean).join(' ');
  return {
    id,
    startedAt: stringAt(meta, 'timestamp') ?? lines[0]?.timestamp ?? '',
    ...(program === '' ? {} : { program }),
    ...defined({ cwd, forkedFrom }),
    ...readTurnItems(lines),
  };
}
