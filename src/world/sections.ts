import type { AnySection } from './sections/section.ts';
import { agentsMdSection } from './sections/agents-md.ts';
import { appsSection } from './sections/apps.ts';
import { collaborationModeSection } from './sections/collaboration-mode.ts';
import { deferredToolsSection } from './sections/deferred-tools.ts';
import { developerInstructionsSection } from './sections/developer-instructions.ts';
import { environmentsSection } from './sections/environments.ts';
import { knownAgentsSection } from './sections/known-agents.ts';
import { managedInstructionsSection } from './sections/managed-instructions.ts';
import { mcpInstructionsSection, mcpServersSection } from './sections/mcp-servers.ts';
import { memorySection } from './sections/memory.ts';
import { modelSection } from './sections/model.ts';
import { permissionsSection } from './sections/permissions.ts';
import { personalitySection } from './sections/personality.ts';
import { pinnedNotesSection } from './sections/pinned-notes.ts';
import { pluginsSection } from './sections/plugins.ts';
import { realtimeSection } from './sections/realtime.ts';
import { sessionContextSection } from './sections/session-context.ts';
import { sessionsSection } from './sections/sessions.ts';
import { skillsSection } from './sections/skills.ts';

/**
 * All sections, in the order in which the model reads them, in the bundle and in every change: first what developers
 * say, the managed policy last of it, then what stands in the user's name. Each assumes those before it.
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
