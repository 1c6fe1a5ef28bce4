import { appsGuidanceFragment } from '../../fragments/sections/apps-guidance.ts';
import { guidanceSection } from './text-section.ts';

export const appsSection = guidanceSection({
  id: 'apps_instructions',
  assumes: 'the permissions that govern what an app may be asked for',
  kind: appsGuidanceFragment,
  holds: ({ envelope: { capabilities, modes } }) => capabilities.apps && !modes.leaveOut.includes('apps'),
});
