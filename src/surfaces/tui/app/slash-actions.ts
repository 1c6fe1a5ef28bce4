import type { SlashName } from '../views/slash-table.ts';
import { slashCommands } from '../views/slash-table.ts';
import type { TuiSession } from './session.ts';
import { helpRows } from './help-rows.ts';
import { PagerView } from '../views/pager-view.ts';

/** What the commands of the terminal do. */
export async function runSlash(session: TuiSession, name: SlashName, rest: string): Promise<void> {
  const { stage, quit } = session.parts;
  switch (name) {
    case 'quit':
    case 'exit':
      return quit();
    case 'compact':
      return session.compact(rest);
    case 'tui':
      return stage.switchMode();
    case 'help':
      return stage.openPager(
        new PagerView({
          title: 'Keys and commands',
          rows: (look) => helpRows(slashCommands, look),
          close: () => stage.openPager(undefined),
        }),
      );
    case 'plan': {
      const isPlan = session.thread.settings.collaboration?.mode === 'plan';
      const mode = rest !== '' || !isPlan ? 'plan' : 'default';
      if ((await session.change({ collaboration: { mode } })) && rest !== '') session.send(rest);
      return;
    }
    case 'ps':
      return (await import('./show-sessions.ts')).showSessions(session);
    case 'stop':
      return (await import('./show-sessions.ts')).stopSessions(session, rest);
    case 'rules':
      return (await import('./show-rules.ts')).showRules(session);
    case 'queue':
      return (await import('./show-queue.ts')).showQueue(session);
    case 'model':
      return (await import('./choose-model.ts')).chooseModel(session, rest);
    case 'permissions':
      return (await import('./choose-permissions.ts')).choosePermissions(session);
    case 'status':
      return (await import('./show-cards.ts')).showStatus(session);
    case 'context':
      return (await import('./show-cards.ts')).showContext(session);
    case 'diff':
      return (await import('./show-diff.ts')).showDiff(session);
    case 'new':
    case 'clear':
      return (await import('./choose-thread-view.ts')).startAnew(session);
    case 'resume':
      return (await import('./choose-thread-view.ts')).chooseThreadView(session, rest);
  }
}
