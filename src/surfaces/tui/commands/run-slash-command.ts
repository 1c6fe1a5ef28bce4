import { fullText } from '../../../protocol/outcome.ts';
import { slashCommands, type SlashName } from './slash-commands.ts';
import type { TuiSession } from '../session/session.ts';
import { openHelp } from '../pages/help.ts';

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
      return (await import('./background-commands.ts')).showSessions(session);
    case 'stop':
      return (await import('./background-commands.ts')).stopSessions(session, rest);
    case 'rules':
      return (await import('./settings/permissions.ts')).showRules(session);
    case 'queue':
      return (await import('./conversation/queue.ts')).showQueue(session);
    case 'model':
      return (await import('./settings/model.ts')).model(session, rest);
    case 'permissions':
      return (await import('./settings/permissions.ts')).choosePermissions(session, rest);
    case 'approve':
      return (await import('./settings/permissions.ts')).approve(session);
    case 'theme':
      return (await import('./settings/theme.ts')).chooseTheme(session, rest);
    case 'statusline':
      return (await import('./settings/status-line-and-title.ts')).chooseStatusLine(session);
    case 'title':
      return (await import('./settings/status-line-and-title.ts')).chooseTitle(session);
    case 'status':
      return (await import('./status.ts')).status(session);
    case 'context':
      return (await import('../pages/insight/context.ts')).showContext(session);
    case 'changes':
      return (await import('../pages/insight/changes.ts')).showChanges(session);
    case 'envelope':
      return (await import('../pages/insight/envelope.ts')).showEnvelope(session, rest);
    case 'checkpoint':
      return (await import('../pages/insight/checkpoints.ts')).showCheckpoints(session, rest);
    case 'pin':
      return (await import('../pages/insight/pins.ts')).showPins(session, rest);
    case 'replay':
      return (await import('../pages/insight/replay.ts')).showReplay(session, rest);
    case 'diff':
      return (await import('./diff.ts')).showDiff(session);
    case 'rewind':
      return (await import('./conversation/rewind.ts')).rewindOrUndo(session, rest);
    case 'new':
    case 'clear':
      return (await import('./conversation/new-and-resume.ts')).startAnew(session);
    case 'copy':
      return (await import('./conversation/copy-answer.ts')).copyAnswer(session, rest);
    case 'raw':
      return (await import('./conversation/copy-answer.ts')).showRaw(session);
    case 'export':
      return (await import('./conversation/rename-archive-fork-export.ts')).exportConversation(session, rest);
    case 'rename':
      return (await import('./conversation/rename-archive-fork-export.ts')).renameThread(session, rest);
    case 'archive':
      return (await import('./conversation/rename-archive-fork-export.ts')).putAway(session);
    case 'delete':
      return (await import('./conversation/rename-archive-fork-export.ts')).throwAway(session);
    case 'side':
    case 'btw':
      return (await import('./conversation/side-conversation.ts')).openSide(session, rest);
    case 'fork':
      return (await import('./conversation/rename-archive-fork-export.ts')).forkShown(session, session.thread.id, rest);
    case 'resume':
      return (await import('./conversation/new-and-resume.ts')).chooseThreadView(session, rest);
    case 'review':
      return (await import('./review.ts')).review(session, rest);
    case 'init':
      return (await import('./init-and-working-folder.ts')).init(session);
    case 'mcp':
      return (await import('./mcp.ts')).mcp(session, rest);
    case 'skills':
      return (await import('./prompts-and-skills.ts')).skills(session);
    case 'hooks':
      return (await import('./hooks.ts')).hooks(session);
    case 'agents':
    case 'subagents':
      return (await import('./agents.ts')).agents(session);
    case 'prompts':
      return (await import('./prompts-and-skills.ts')).prompts(session, rest);
    case 'experimental':
      return (await import('./settings/feature-switches.ts')).experimental(session);
    case 'memories':
      return (await import('./settings/feature-switches.ts')).memories(session);
    case 'mention':
      return (await import('./command-session.ts')).putInComposer(session, '/mention', '@');
    case 'goal':
      return (await import('./goal.ts')).goal(session, rest);
    case 'cd':
      return (await import('./init-and-working-folder.ts')).changeFolder(session, rest);
    case 'pwd':
    case 'cwd':
      return (await import('./init-and-working-folder.ts')).showFolder(session);
    case 'keymap':
      return (await import('./settings/keymap-editor.ts')).keymap(session, rest);
    case 'vim':
      return (await import('../draft/vim/vim-mode.ts')).vim(session);
    case 'logout':
      return (await import('../questions/startup/sign-in.ts')).logout(session);
    case 'debug-config':
      return (await import('./settings/debug-config.ts')).debugConfig(session);
    default:
      // A command without an action is a compile error.
      return name satisfies never;
  }
}
