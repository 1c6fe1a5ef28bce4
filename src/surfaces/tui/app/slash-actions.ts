import { fullText } from '../../../protocol/outcome.ts';
import type { SlashName } from '../views/slash-table.ts';
import { slashCommands } from '../views/slash-table.ts';
import type { TuiSession } from './session.ts';
import { openHelp } from './open-help.ts';

/** What the commands of the terminal do. */
export async function runSlash(session: TuiSession, name: SlashName, rest: string): Promise<void> {
  const { stage, quit } = session.parts;
  switch (name) {
    case 'quit':
    case 'exit':
      return quit();
    case 'compact':
      return session.compact(rest);
    case 'tui': {
      const refused = stage.switchMode();
      return refused && session.notice(fullText(refused), 'error');
    }
    case 'help':
      return openHelp(stage, slashCommands);
    case 'plan': {
      const isPlan = session.thread.settings.collaboration?.mode === 'plan';
      const mode = rest !== '' || !isPlan ? 'plan' : 'default';
      if ((await session.change({ collaboration: { mode } })) && rest !== '') session.sendWords(rest);
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
      return (await import('../commands/model.ts')).model(session, rest);
    case 'permissions':
      return (await import('./choose-permissions.ts')).choosePermissions(session, rest);
    case 'approve':
      return (await import('../commands/approve.ts')).approve(session);
    case 'theme':
      return (await import('./choose-theme.ts')).chooseTheme(session, rest);
    case 'statusline':
      return (await import('./choose-status.ts')).chooseStatusLine(session);
    case 'title':
      return (await import('./choose-status.ts')).chooseTitle(session);
    case 'status':
      return (await import('../commands/status.ts')).status(session);
    case 'context':
      return (await import('../insight/show-context.ts')).showContext(session);
    case 'changes':
      return (await import('../insight/show-changes.ts')).showChanges(session);
    case 'envelope':
      return (await import('../insight/show-envelope.ts')).showEnvelope(session, rest);
    case 'checkpoint':
      return (await import('../insight/show-checkpoints.ts')).showCheckpoints(session, rest);
    case 'pin':
      return (await import('../insight/show-pins.ts')).showPins(session, rest);
    case 'replay':
      return (await import('../insight/show-replay.ts')).showReplay(session, rest);
    case 'diff':
      return (await import('./show-diff.ts')).showDiff(session);
    case 'rewind':
      return (await import('./rewind.ts')).rewindOrUndo(session, rest);
    case 'new':
    case 'clear':
      return (await import('./choose-thread-view.ts')).startAnew(session);
    case 'copy':
      return (await import('./copy-answer.ts')).copyAnswer(session, rest);
    case 'raw':
      return (await import('./copy-answer.ts')).showRaw(session);
    case 'export':
      return (await import('./export-conversation.ts')).exportConversation(session, rest);
    case 'rename':
      return (await import('./keep-thread.ts')).renameThread(session, rest);
    case 'archive':
      return (await import('./keep-thread.ts')).putAway(session);
    case 'delete':
      return (await import('./keep-thread.ts')).throwAway(session);
    case 'side':
    case 'btw':
      return (await import('./side-conversation.ts')).openSide(session, rest);
    case 'fork':
      return (await import('./fork-thread.ts')).forkShown(session, session.thread.id, rest);
    case 'resume':
      return (await import('./choose-thread-view.ts')).chooseThreadView(session, rest);
    case 'review':
      return (await import('../commands/review.ts')).review(session, rest);
    case 'init':
      return (await import('../commands/init.ts')).init(session);
    case 'mcp':
      return (await import('../commands/mcp.ts')).mcp(session, rest);
    case 'skills':
      return (await import('../commands/skills.ts')).skills(session);
    case 'hooks':
      return (await import('../commands/hooks.ts')).hooks(session);
    case 'agents':
    case 'subagents':
      return (await import('../commands/agents.ts')).agents(session);
    case 'prompts':
      return (await import('../commands/prompts.ts')).prompts(session, rest);
    case 'experimental':
      return (await import('../commands/experimental.ts')).experimental(session);
    case 'memories':
      return (await import('../commands/memories.ts')).memories(session);
    case 'mention':
      return (await import('../commands/put-in-composer.ts')).putInComposer(session, '/mention', '@');
    case 'goal':
      return (await import('../commands/goal.ts')).goal(session, rest);
    case 'cd':
      return (await import('../commands/folder.ts')).changeFolder(session, rest);
    case 'pwd':
    case 'cwd':
      return (await import('../commands/folder.ts')).showFolder(session);
    case 'keymap':
      return (await import('../commands/keymap.ts')).keymap(session, rest);
    case 'vim':
      return (await import('../commands/vim.ts')).vim(session);
    case 'logout':
      return (await import('../commands/logout.ts')).logout(session);
    case 'debug-config':
      return (await import('../commands/debug-config.ts')).debugConfig(session);
    default:
      // A command without an action is an error of the compiler.
      return name satisfies never;
  }
}
