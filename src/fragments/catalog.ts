import { agentsMdFragment } from './sections/agents-md.ts';
import { approvedPrefixesFragment } from './sections/approved-prefixes.ts';
import { appsGuidanceFragment } from './sections/apps-guidance.ts';
import { checkpointIntentFragment } from './checkpoint/checkpoint-intent.ts';
import { checkpointRecordsFragment } from './checkpoint/checkpoint-records.ts';
import { checkpointSummaryFragment } from './checkpoint/checkpoint-summary.ts';
import { collaborationModeFragment } from './sections/collaboration-mode.ts';
import { deferredToolsFragment } from './sections/deferred-tools.ts';
import type { FragmentFamily, FragmentKind } from './text/define.ts';
import { developerInstructionsFragment } from './sections/developer-instructions.ts';
import { environmentFragment } from './sections/environment.ts';
import { environmentsGuidanceFragment } from './sections/environments-guidance.ts';
import { filesChangedBesideFragment } from './events/files-changed-beside.ts';
import { filesPutBackFragment } from './events/files-put-back.ts';
import { generatedImagesFragment } from './events/generated-images.ts';
import { grantedPermissionsFragment } from './sections/granted-permissions.ts';
import { goalFragment } from './events/goal-words.ts';
import { hookContextFragment, hookPromptFragment } from './events/hook-words.ts';
import { interAgentMessageFragment } from './events/inter-agent-message.ts';
import { managedInstructionsFragment } from './sections/managed-instructions.ts';
import { mcpInstructionsFragment, mcpServersFragment } from './sections/mcp-servers.ts';
import { memoryFragment } from './sections/memory.ts';
import { modelSwitchFragment } from './sections/model-switch.ts';
import { multiAgentModeFragment, multiAgentRoleFragment } from './sections/multi-agent.ts';
import { networkRulesFragment } from './sections/network-rules.ts';
import { permissionsFragment } from './sections/permissions.ts';
import { personalityFragment } from './sections/personality.ts';
import { pinnedNotesFragment } from './sections/pinned-notes.ts';
import { pluginHintFragment } from './events/plugin-hint.ts';
import { pluginsGuidanceFragment } from './sections/plugins-guidance.ts';
import { realtimeEndFragment, realtimeStartFragment } from './sections/realtime.ts';
import { realtimeDelegationFragment } from './events/realtime-delegation.ts';
import { recommendedPluginsFragment } from './sections/recommended-plugins.ts';
import { sessionContextFragment } from './sections/session-context.ts';
import { agentsElsewhereFragment } from './events/agents-elsewhere.ts';
import { sessionsEndedFragment } from './events/sessions-ended.ts';
import { knownAgentsFragment } from './sections/known-agents.ts';
import { sessionsFragment } from './sections/sessions.ts';
import { skillBodyFragment } from './events/skill-body.ts';
import { skillHintFragment } from './events/skill-hint.ts';
import { skillsCatalogueFragment } from './sections/skills.ts';
import { subagentNotificationFragment } from './events/subagent-notification.ts';
import { newRepositoriesFragment } from './events/new-repositories.ts';
import { turnContinuedFragment } from './events/turn-continued.ts';
import { turnAbortedFragment } from './events/turn-aborted.ts';
import { imageResizeNoticeFragment } from './events/image-resize-notice.ts';
import { unusableImagesFragment } from './events/unusable-images.ts';
import { userActionFragment } from './events/user-action.ts';
import { userShellCommandFragment } from './events/user-shell-command.ts';

const kinds: readonly (FragmentKind<never> | FragmentFamily<never>)[] = [
  // State: told by a section of the world, and taken back or replaced by it.
  modelSwitchFragment,
  personalityFragment,
  realtimeStartFragment,
  realtimeEndFragment,
  developerInstructionsFragment,
  sessionContextFragment,
  agentsMdFragment,
  pinnedNotesFragment,
  skillsCatalogueFragment,
  mcpInstructionsFragment,
  mcpServersFragment,
  memoryFragment,
  sessionsFragment,
  knownAgentsFragment,
  permissionsFragment,
  approvedPrefixesFragment,
  grantedPermissionsFragment,
  networkRulesFragment,
  collaborationModeFragment,
  environmentFragment,
  environmentsGuidanceFragment,
  appsGuidanceFragment,
  pluginsGuidanceFragment,
  recommendedPluginsFragment,
  deferredToolsFragment,
  multiAgentRoleFragment,
  multiAgentModeFragment,
  managedInstructionsFragment,
  // Events: told once.
  turnAbortedFragment,
  turnContinuedFragment,
  filesPutBackFragment,
  filesChangedBesideFragment,
  sessionsEndedFragment,
  agentsElsewhereFragment,
  newRepositoriesFragment,
  generatedImagesFragment,
  skillBodyFragment,
  skillHintFragment,
  pluginHintFragment,
  hookContextFragment,
  hookPromptFragment,
  goalFragment,
  subagentNotificationFragment,
  interAgentMessageFragment,
  realtimeDelegationFragment,
  unusableImagesFragment,
  imageResizeNoticeFragment,
  userActionFragment,
  userShellCommandFragment,
  // What a checkpoint leaves behind.
  checkpointIntentFragment,
  checkpointRecordsFragment,
  checkpointSummaryFragment,
];

/** Every kind of fragment there is. A new kind of model-visible fact is added here, or it does not exist. */
export const fragmentCatalog: readonly FragmentKind<never>[] = kinds.flatMap((kind) =>
  'withdrawn' in kind ? [kind, kind.withdrawn] : [kind],
);
