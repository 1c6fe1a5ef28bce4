import { fullText } from '../../../protocol/outcome.ts';
import { cleanLine } from '../text/clean.ts';
import { dimStyle, plain, styled } from '../text/style.ts';
import { ItemsView } from '../views/items-view.ts';
import { type StatusId, statusItems } from '../views/status-items.ts';
import type { TitleId } from '../views/window-title.ts';
import type { TuiSession } from './session.ts';

const about = Object.fromEntries(Object.entries(statusItems).map(([id, item]) => [id, item.about])) as Readonly<
  Record<StatusId, string>
>;

/** `/statusline`: what stands below the composer. */
export function chooseStatusLine(session: TuiSession): void {
  const { stage } = session.parts;
  const { status } = session;
  stage.open(
    new ItemsView<StatusId>({
      title: 'Status line',
      about,
      chosen: status.items,
      preview: (items, look) => status.row(items, look),
      save(items) {
        stage.open(undefined);
        status.items = items;
        session.run(save(session, 'status_line', items));
      },
      close: () => stage.open(undefined),
    }),
  );
}

/** `/title`: what the window is called. */
export function chooseTitle(session: TuiSession): void {
  const { stage } = session.parts;
  const { status } = session;
  stage.open(
    new ItemsView<TitleId>({
      title: 'Title of the window',
      about: { activity: 'that something runs, or waits for you', ...about },
      chosen: status.titleItems,
      preview: (items, look) => [styled('  Title: ', dimStyle), plain(cleanLine(status.title(items, look)))],
      save(items) {
        stage.open(undefined);
        status.titleItems = items;
        session.run(save(session, 'terminal_title', items));
      },
      close: () => stage.open(undefined),
    }),
  );
}

async function save(session: TuiSession, key: string, items: readonly string[]): Promise<void> {
  const problem = await session.parts.engine.config.saveTui({ [key]: items });
  if (problem !== undefined) session.notice(fullText(problem), 'error');
}
