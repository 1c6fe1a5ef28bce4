import { sessionContextFragment } from '../../fragments/sections/session-context.ts';
import { textSection } from './text-section.ts';

/** What hooks said when the thread was opened. */
export const sessionContextSection = textSection<{ readonly texts: readonly string[] }>({
  id: 'capstan.session_context',
  assumes: 'the tools and skills that hooks may speak of',
  kind: sessionContextFragment,
  of: ({ envelope: { capabilities } }) =>
    capabilities.hooks.sessionContext.length === 0 ? undefined : { texts: capabilities.hooks.sessionContext },
});
