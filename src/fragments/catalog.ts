import { agentsMdFragment, agentsMdWithdrawnFragment } from './sections/agents-md.ts';
import { approvedPrefixesFragment } from './sections/approved-prefixes.ts';
import { appsGuidanceFragment, appsGuidanceWithdrawnFragment } from './sections/apps-guidance.ts';
import { checkpointIntentFragment } from './checkpoint/checkpoint-intent.ts';
import { checkpointRecordsFragment } from './checkpoint/checkpoint-records.ts';
import { checkpointSummaryFragment } from './checkpoint/checkpoint-summary.ts';
import { collaborationModeFragment, collaborationModeWithdrawnFragment } from './sections/collaboration-mode.ts';
import { deferredToolsFragment } from './sections/deferred-tools.ts';
import type { FragmentKind } from './text/define.ts';
import {
  developerInstructionsFragment,
  developerInstructionsWithdrawnFragment,
} from './sections/developer-instructions.ts';
import { environmentFragment, environmentWithdrawnFragment } from './sections/environment.ts';
import {
  environmentsGuidanceFragment,
  environmentsGuidanceWithdrawnFragment,
} from './sections/environments-guidance.ts';
import { hookContextFragment } from './events/hook-context.ts';
import { hookPromptFragment } from './events/hook-prompt.ts';
import { interAgentMessageFragment } from './events/inter-agent-message.ts';
import { managedInstructionsFragment, managedInstructionsWithdrawnFragment } from './sections/managed-instructions.ts';
import { modelSwitchFragment } from './sections/model-switch.ts';
import {
  multiAgentModeFragment,
  multiAgentModeWithdrawnFragment,
  multiAgentRoleFragment,
  multiAgentRoleWithdrawnFragment,
} from './sections/multi-agent.ts';
import { networkRulesFragment } from './sections/network-rules.ts';
import { permissionsFragment, permissionsWithdrawnFragment } from './sections/permissions.ts';
import { personalityFragment, personalityWithdrawnFragment } from './sections/personality.ts';
import { pinnedNotesFragment, pinnedNotesWithdrawnFragment } from './sections/pinned-notes.ts';
import { pluginHintFragment } from './events/plugin-hint.ts';
import { pluginsGuidanceFragment, pluginsGuidanceWithdrawnFragment } from './sections/plugins-guidance.ts';
import { realtimeEndFragment, realtimeStartFragment } from './sections/realtime.ts';
import { realtimeDelegationFragment } from './events/realtime-delegation.ts';
import { recommendedPluginsFragment, recommendedPluginsWithdrawnFragment } from './sections/recommended-plugins.ts';
import { sessionContextFragment, sessionContextWithdrawnFragment } from './sections/session-context.ts';
import { skillBodyFragment } from './events/skill-body.ts';
import { skillsCatalogueFragment, skillsWithdrawnFragment } from './sections/skills.ts';
import { subagentNotificationFragment } from './events/subagent-notification.ts';
import { turnAbortedFragment } from './events/turn-aborted.ts';
import { unusableImagesFragment } from './events/unusable-images.ts';

/** Every kind of fragment there is. A new kind of model-visible fact is added here, or it does not exist. */
export const fragmentCatalog: readonly FragmentKind<never>[] = [
  // State: told by a section of the world, and taken back or replaced by it.
  modelSwitchFragment,
  personalityFragment,
  personalityWithdrawnFragment,
  realtimeStartFragment,
  realtimeEndFragment,
  developerInstructionsFragment,
  developerInstructionsWithdrawnFragment,
  sessionContextFragment,
  sessionContextWithdrawnFragment,
  agentsMdFragment,
  agentsMdWithdrawnFragment,
  pinnedNotesFragment,
  pinnedNotesWithdrawnFragment,
  skillsCatalogueFragment,
  skillsWithdrawnFragment,
  permissionsFragment,
  permissionsWithdrawnFragment,
  approvedPrefixesFragment,
  networkRulesFragment,
  collaborationModeFragment,
  collaborationModeWithdrawnFragment,
  environmentFragment,
  environmentWithdrawnFragment,
  environmentsGuidanceFragment,
  environmentsGuidanceWithdrawnFragment,
  appsGuidanceFragment,
  appsGuidanceWithdrawnFragment,
  pluginsGuidanceFragment,
  pluginsGuidanceWithdrawnFragment,
  recommendedPluginsFragment,
  recommendedPluginsWithdrawnFragment,
  deferredToolsFragment,
  multiAgentRoleFragment,
  multiAgentRoleWithdrawnFragment,
  multiAgentModeFragment,
  multiAgentModeWithdrawnFragment,
  managedInstructionsFragment,
  managedInstructionsWithdrawnFragment,
  // Events: told once.
  turnAbortedFragment,
  skillBodyFragment,
  pluginHintFragment,
  hookContextFragment,
  hookPromptFragment,
  subagentNotificationFragment,
  interAgentMessageFragment,
  realtimeDelegationFragment,
  unusableImagesFragment,
  // What a checkpoint leaves behind.
  checkpointIntentFragment,
  checkpointRecordsFragment,
  checkpointSummaryFragment,
];
