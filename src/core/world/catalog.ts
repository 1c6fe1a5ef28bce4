import { checkpointIntentFragment } from '../fragments/checkpoint-messages.ts';
import { checkpointRecordsFragment, checkpointSummaryFragment } from '../fragments/checkpoint-work.ts';
import {
  agentsElsewhereFragment,
  interAgentMessageFragment,
  subagentNotificationFragment,
} from '../fragments/events/agents.ts';
import {
  filesChangedBesideFragment,
  filesPutBackFragment,
  generatedImagesFragment,
  imageResizeNoticeFragment,
  newRepositoriesFragment,
  unusableImagesFragment,
} from '../fragments/events/files-and-images.ts';
import {
  hookContextFragment,
  hookPromptFragment,
  pluginHintFragment,
  skillBodyFragment,
} from '../fragments/events/hooks-skills-and-plugins.ts';
import { goalFragment, turnAbortedFragment, turnContinuedFragment } from '../fragments/events/turns-and-goals.ts';
import {
  realtimeDelegationFragment,
  userActionFragment,
  userShellCommandFragment,
} from '../fragments/events/user-actions.ts';
import type { FragmentFamily, FragmentKind } from '../fragments/text/define-fragment.ts';
import {
  knownAgentsFragment,
  knownAgentsSection,
  multiAgentModeFragment,
  multiAgentRoleFragment,
} from './sections/agents.ts';
import { approvedPrefixesFragment } from './sections/approvals.ts';
import {
  deferredToolsFragment,
  deferredToolsSection,
  mcpInstructionsFragment,
  mcpInstructionsSection,
  mcpServersFragment,
  mcpServersSection,
} from './sections/deferred-tools-and-mcp-servers.ts';
import { environmentFragment, environmentsGuidanceFragment, environmentsSection } from './sections/environments.ts';
import {
  agentsMdFragment,
  agentsMdSection,
  developerInstructionsFragment,
  developerInstructionsSection,
  managedInstructionsFragment,
  managedInstructionsSection,
  sessionContextFragment,
  sessionContextSection,
} from './sections/instructions.ts';
import {
  memoryFragment,
  memorySection,
  pinnedNotesFragment,
  pinnedNotesSection,
} from './sections/memory-and-pinned-notes.ts';
import { modelSection, modelSwitchFragment } from './sections/model.ts';
import {
  collaborationModeFragment,
  collaborationModeSection,
  personalityFragment,
  personalitySection,
  realtimeEndFragment,
  realtimeSection,
  realtimeStartFragment,
} from './sections/modes.ts';
import {
  grantedPermissionsFragment,
  networkRulesFragment,
  permissionsFragment,
  permissionsSection,
} from './sections/permissions.ts';
import {
  appsGuidanceFragment,
  appsSection,
  pluginsGuidanceFragment,
  pluginsSection,
  recommendedPluginsFragment,
} from './sections/plugins-and-apps.ts';
import type { AnySection } from './sections/section.ts';
import { sessionsEndedFragment, sessionsFragment, sessionsSection } from './sections/sessions.ts';
import { skillHintFragment, skillsCatalogueFragment, skillsSection } from './sections/skills.ts';

/**
 * All sections in the order in which the model reads them, in the bundle and in every change: developer messages first,
 * the managed policy last among these, then those in the user's name. Each assumes those before it.
 */
export const sections: readonly AnySection[] = [
  modelSection,
  permissionsSection,
  collaborationModeSection,
  realtimeSection,
  personalitySection,
  developerInstructionsSection,
  appsSection,
  pluginsSection,
  deferredToolsSection,
  mcpInstructionsSection,
  mcpServersSection,
  skillsSection,
  memorySection,
  sessionContextSection,
  sessionsSection,
  knownAgentsSection,
  managedInstructionsSection,
  agentsMdSection,
  pinnedNotesSection,
  environmentsSection,
] as unknown as readonly AnySection[];

const kinds: readonly (FragmentKind<never> | FragmentFamily<never>)[] = [
  // State: sent by a world section, which withdraws or replaces it.
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
  // Events: sent once.
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
  // Written by a checkpoint.
  checkpointIntentFragment,
  checkpointRecordsFragment,
  checkpointSummaryFragment,
];

/** All kinds of fragments. A new kind of model-visible fact must be added here. */
export const fragmentCatalog: readonly FragmentKind<never>[] = kinds.flatMap((kind) =>
  'withdrawn' in kind ? [kind, kind.withdrawn] : [kind],
);

/** The name that clients see for a kind: its family's. Two names are older than the catalogue. */
export function fragmentFamilyName(id: string): string {
  const family = fragmentCatalog.find((kind) => kind.id === id)?.formOf ?? id;
  return given[family] ?? family.replaceAll('-', '_');
}

const given: Readonly<Record<string, string>> = {
  environment: 'environment_context',
  'agents-md': 'user_instructions',
};
