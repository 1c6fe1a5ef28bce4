import { defineFamily } from '../text/define.ts';

export const appsGuidanceFragment = defineFamily<void>({
  id: 'apps-guidance',
  purpose: 'What apps are and how the user names them.',
  role: 'developer',
  markers: ['<apps_instructions>', '</apps_instructions>'],
  capTokens: 400,
  section: 'apps_instructions',
  body: () => `
An app gives access to a service that the user has connected. Its tools come from a tool server and are called like all others.
- The user names an app as [$NAME](app://ID): then use the tools of that app.
- The tools of an app may be absent from the list until they are searched for.
`,
  withdrawn: '\nThere are no apps any more; what was said about them no longer holds.\n',
});
