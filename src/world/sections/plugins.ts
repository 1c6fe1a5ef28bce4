import { pluginsGuidanceFragment } from '../../fragments/sections/plugins-guidance.ts';
import { guidanceSection } from './text-section.ts';

export const pluginsSection = guidanceSection({
  id: 'plugins_instructions',
  assumes: 'apps, which a plugin may bring along',
  kind: pluginsGuidanceFragment,
  holds: ({ envelope: { capabilities } }) => capabilities.plugins,
});
