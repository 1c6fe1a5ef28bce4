import { PagerView } from '../views/pager-view.ts';
import type { SlashCommand } from '../views/slash-table.ts';
import { helpRows } from './help-rows.ts';
import type { TuiStage } from './stage.ts';

/** Opens what keys and commands do. `commands`: those that work here. */
export function openHelp(stage: TuiStage, commands: readonly SlashCommand[]): void {
  stage.openPager(
    new PagerView({
      title: 'Keys and commands',
      rows: (look) => helpRows(commands, look),
      close: () => stage.openPager(undefined),
    }),
  );
}
