import { agentsMdFragment, agentsMdWithdrawnFragment } from './agents-md.ts';
import { approvedPrefixesFragment } from './approved-prefixes.ts';
import { appsGuidanceFragment, appsGuidanceWithdrawnFragment } from './apps-guidance.ts';
import { checkpointIntentFragment } from './checkpoint-intent.ts';
import { checkpointRecordsFragment } from './checkpoint-records.ts';
import { checkpointSummaryFragment } from './checkpoint-summary.ts';
import { collaborationModeFragment, collaborationModeWithdrawnFragment } from './collaboration-mode.ts';
import { deferredToolsFragment } from './deferred-tools.ts';
import type { FragmentKind } from './define.ts';
import { developerInstructionsFragment, developerInstructionsWithdrawnFragment } from './developer-instructions.ts';
import { environmentFragment, environmentWithdrawnFragment } from './environment.ts';
import { environmentsGuidanceFragment, environmentsGuidanceWithdrawnFragment } from './environments-guidance.ts';
import { hookContextFragment } from './hook-context.ts';
import { hookPromptFragment } from './hook-prompt.ts';
import { interAgentMessageFragment } from './inter-agent-message.ts';
import { managedInstructionsFragment, managedInstructionsWithdrawnFragment } from './managed-instructions.ts';
import { modelSwitchFragment } from './model-switch.ts';
import {
  multiAgentModeFragment,
  multiAgentModeWithdrawnFragment,
  multiAgentRoleFragment,
  multiAgentRoleWithdrawnFragment,
} from './multi-agent.ts';
import { networkRulesFragment } from './network-rules.ts';
import { permissionsFragment, permissionsWithdrawnFragment } from './permissions.ts';
import { personalityFragment, personalityWithdrawnFragment } from './personality.ts';
import { pinnedNotesFragment, pinnedNotesWithdrawnFragment } from './pinned-notes.ts';
import { pluginHintFragment } from './plugin-hint.ts';
import { pluginsGuidanceFragment, pluginsGuidanceWithdrawnFragment } from './plugins-guidance.ts';
import { realtimeEndFragment, realtimeStartFragment } from './realtime.ts';
import { realtimeDelegationFragment } from './realtime-delegation.ts';
import { recommendedPluginsFragment, recommendedPluginsWithdrawnFragment } from './recommended-plugins.ts';
import { sessionContextFragment, sessionContextWithdrawnFragment } from './session-context.ts';
import { skillBodyFragment } from './skill-body.ts';
import { skillsCatalogueFragment, skillsWithdrawnFragment } from './skills.ts';
import { subagentNotificationFragment } from './subagent-notification.ts';
import { turnAbortedFragment } from './turn-aborted.ts';
import { unusableImagesFragment } from './unusable-images.ts';

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
