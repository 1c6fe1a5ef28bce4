import { checkpointIntentFragment } from '../fragments/checkpoint-messages.ts';
import { checkpointRecordsFragment, checkpointSummaryFragment } from '../fragments/checkpoint-work.ts';
import * as agentEvents from '../fragments/events/agents.ts';
import * as files from '../fragments/events/files-and-images.ts';
import * as extensions from '../fragments/events/hooks-skills-and-plugins.ts';
import * as turns from '../fragments/events/turns-and-goals.ts';
import * as actions from '../fragments/events/user-actions.ts';
import type { WithdrawableFragment, FragmentKind } from '../fragments/text/define-fragment.ts';
import * as agents from './sections/agents.ts';
import { approvedPrefixesFragment } from './sections/approvals.ts';
import * as servers from './sections/deferred-tools-and-mcp-servers.ts';
import * as environments from './sections/environments.ts';
import * as instructions from './sections/instructions.ts';
import * as memory from './sections/memory-and-pinned-notes.ts';
import { modelSection, modelSwitchFragment } from './sections/model.ts';
import * as modes from './sections/modes.ts';
import * as permissions from './sections/permissions.ts';
import * as plugins from './sections/plugins-and-apps.ts';
import type { AnySection } from './sections/section.ts';
import * as sessions from './sections/sessions.ts';
import * as skills from './sections/skills.ts';

/** Ordered as the model reads them: each assumes the earlier ones. The managed policy is the last developer message. */
export const worldSections: readonly AnySection[] = [
  modelSection,
  permissions.permissionsSection,
  modes.collaborationModeSection,
  modes.realtimeSection,
  modes.personalitySection,
  instructions.developerInstructionsSection,
  plugins.appsSection,
  plugins.pluginsSection,
  servers.deferredToolsSection,
  servers.mcpInstructionsSection,
  servers.mcpServersSection,
  skills.skillsSection,
  memory.memorySection,
  instructions.sessionContextSection,
  sessions.sessionsSection,
  agents.knownAgentsSection,
  instructions.managedInstructionsSection,
  instructions.agentsMdSection,
  memory.pinnedNotesSection,
  environments.environmentsSection,
] as unknown as readonly AnySection[];

const kinds: readonly (FragmentKind<never> | WithdrawableFragment<never>)[] = [
  // State: sent by a world section, which withdraws or replaces it.
  modelSwitchFragment,
  modes.personalityFragment,
  modes.realtimeStartFragment,
  modes.realtimeEndFragment,
  instructions.developerInstructionsFragment,
  instructions.sessionContextFragment,
  instructions.agentsMdFragment,
  memory.pinnedNotesFragment,
  skills.skillsCatalogueFragment,
  servers.mcpInstructionsFragment,
  servers.mcpServersFragment,
  memory.memoryFragment,
  sessions.sessionsFragment,
  agents.knownAgentsFragment,
  permissions.permissionsFragment,
  approvedPrefixesFragment,
  permissions.grantedPermissionsFragment,
  permissions.networkRulesFragment,
  modes.collaborationModeFragment,
  environments.environmentFragment,
  environments.environmentsGuidanceFragment,
  plugins.appsGuidanceFragment,
  plugins.pluginsGuidanceFragment,
  plugins.recommendedPluginsFragment,
  servers.deferredToolsFragment,
  agents.multiAgentRoleFragment,
  agents.multiAgentModeFragment,
  instructions.managedInstructionsFragment,
  // Events: sent once.
  turns.turnAbortedFragment,
  turns.turnContinuedFragment,
  files.filesPutBackFragment,
  files.filesChangedBesideFragment,
  sessions.sessionsEndedFragment,
  agentEvents.agentsElsewhereFragment,
  files.newRepositoriesFragment,
  files.generatedImagesFragment,
  extensions.skillBodyFragment,
  skills.skillHintFragment,
  extensions.pluginHintFragment,
  extensions.hookContextFragment,
  extensions.hookPromptFragment,
  turns.goalFragment,
  agentEvents.subagentNotificationFragment,
  agentEvents.interAgentMessageFragment,
  actions.realtimeDelegationFragment,
  files.unusableImagesFragment,
  files.imageResizeNoticeFragment,
  actions.userActionFragment,
  actions.userShellCommandFragment,
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
