import { openHelp } from '../pages/help.ts';
import type { TuiSession } from '../session/session.ts';
import { slashCommands, type SlashName } from './slash-commands.ts';

type RunCommand = (session: TuiSession, rest: string) => unknown;

const background = () => import('./background-commands.ts');
const folder = () => import('./init-and-working-folder.ts');
const permissions = () => import('./settings/permissions.ts');
const statusLine = () => import('./settings/status-line-and-title.ts');
const anew = () => import('./conversation/new-and-resume.ts');
const answer = () => import('./conversation/copy-answer.ts');
const kept = () => import('./conversation/rename-archive-fork-export.ts');
const prompts = () => import('./prompts-and-skills.ts');
const features = () => import('./settings/feature-switches.ts');
const startAnew: RunCommand = async (session) => (await anew()).startNewConversation(session);
const showFolder: RunCommand = async (session) => (await folder()).showFolder(session);
const agents: RunCommand = async (session) => (await import('./agents.ts')).showAgents(session);
const quit: RunCommand = (session) => session.parts.quit();
const openSide: RunCommand = async (session, words) =>
  (await import('./conversation/side-conversation.ts')).openSide(session, words);

/** Each command loads its source when it is first run. A command without an action is a compile error. */
const runners: Readonly<Record<SlashName, RunCommand>> = {
  agents,
  approve: async (session) => (await permissions()).approveRefusedAction(session),
  archive: async (session) => (await kept()).archiveShownThread(session),
  btw: openSide,
  cd: async (session, path) => (await folder()).changeFolder(session, path),
  changes: async (session) => (await import('../pages/insight/changes.ts')).showContextChanges(session),
  checkpoint: async (session, rest) => (await import('../pages/insight/checkpoints.ts')).showCheckpoints(session, rest),
  clear: startAnew,
  compact: (session, focus) => session.compact(focus),
  context: async (session) => (await import('../pages/insight/context.ts')).showContext(session),
  copy: async (session, which) => (await answer()).copyAnswer(session, which),
  cwd: showFolder,
  'debug-config': async (session) => (await import('./settings/debug-config.ts')).showConfigLayers(session),
  delete: async (session) => (await kept()).deleteShownThread(session),
  diff: async (session) => (await import('./diff.ts')).showDiff(session),
  envelope: async (session, turn) => (await import('../pages/insight/envelope.ts')).showEnvelope(session, turn),
  exit: quit,
  experimental: async (session) => (await features()).showFeatureSwitches(session),
  export: async (session, file) => (await kept()).exportConversation(session, file),
  fork: async (session, name) => (await kept()).forkShownThread(session, session.thread.id, name),
  goal: async (session, rest) => (await import('./goal.ts')).runGoalCommand(session, rest),
  help: (session) => openHelp(session.parts.stage, slashCommands),
  hooks: async (session) => (await import('./hooks.ts')).showHooks(session),
  init: async (session) => (await folder()).runInitCommand(session),
  keymap: async (session, rest) => (await import('./settings/keymap-editor.ts')).runKeymapCommand(session, rest),
  logout: async (session) => (await import('../questions/startup/first-run.ts')).logout(session),
  mcp: async (session, rest) => (await import('./mcp.ts')).runMcpCommand(session, rest),
  memories: async (session) => (await features()).showMemorySwitches(session),
  mention: async (session) => (await import('./command-session.ts')).putInComposer(session, '/mention', '@'),
  model: async (session, rest) => (await import('./settings/model.ts')).model(session, rest),
  new: startAnew,
  permissions: async (session, name) => (await permissions()).choosePermissions(session, name),
  pin: async (session, text) => (await import('../pages/insight/context.ts')).showPins(session, text),
  plan: switchPlanMode,
  prompts: async (session, rest) => (await prompts()).runPromptsCommand(session, rest),
  ps: async (session) => (await background()).showBackgroundCommands(session),
  pwd: showFolder,
  queue: async (session) => (await import('./conversation/queue.ts')).showQueue(session),
  quit,
  raw: async (session) => (await answer()).showRawAnswer(session),
  rename: async (session, name) => (await kept()).renameThread(session, name),
  replay: async (session, turn) => (await import('../pages/insight/replay.ts')).showReplay(session, turn),
  resume: async (session, name) => (await anew()).showThreadPicker(session, name),
  review: async (session, words) => (await import('./review.ts')).review(session, words),
  rewind: async (session, rest) => (await import('./conversation/rewind.ts')).rewindOrUndo(session, rest),
  rules: async (session) => (await permissions()).showRules(session),
  side: openSide,
  skills: async (session) => (await prompts()).showSkills(session),
  status: async (session) => (await import('./status.ts')).showStatus(session),
  statusline: async (session) => (await statusLine()).chooseStatusLine(session),
  stop: async (session, number) => (await background()).stopBackgroundCommands(session, number),
  subagents: agents,
  theme: async (session, name) => (await import('./settings/theme.ts')).chooseTheme(session, name),
  title: async (session) => (await statusLine()).chooseTitle(session),
  tui(session) {
    const refused = session.parts.stage.switchMode();
    if (refused !== undefined) session.noticeProblem(refused);
  },
  vim: async (session) => (await import('../draft/vim/vim-mode.ts')).toggleVimMode(session),
};

export async function runSlash(session: TuiSession, name: SlashName, rest: string): Promise<void> {
  await runners[name](session, rest);
}

async function switchPlanMode(session: TuiSession, words: string): Promise<void> {
  const isPlan = session.thread.settings.collaboration?.mode === 'plan';
  const mode = words !== '' || !isPlan ? 'plan' : 'default';
  if ((await session.change({ collaboration: { mode } })) && words !== '') session.sendWords(words);
}
