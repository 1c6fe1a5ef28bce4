import type { JsonWithoutNull } from '../protocol/json.ts';
import type { Section } from './section.ts';
import { agentsMdSection } from './sections/agents-md.ts';
import { environmentsSection } from './sections/environments.ts';
import { permissionsSection } from './sections/permissions.ts';

/**
 * All sections, in the order in which the model reads them: first what it may do, then the rules of the house, then
 * where it is. Each assumes that the ones before it have taken effect.
 */
export const sections: readonly Section<never, JsonWithoutNull>[] = [
  permissionsSection,
  agentsMdSection,
  environmentsSection,
] as unknown as readonly Section<never, JsonWithoutNull>[];
