import { sessionContextFragment } from '../../fragments/sections/session-context.ts';
import { textSection } from './text-section.ts';

/** What hooks said when the thread was opened. */
export const sessionContextSection = textSection<{ readonly texts: readonly string[] }>({
  id: 'capstan.session_context',
  assumes: 'the tools and skills that hooks may speak of',
  kind: sessionContextFragment,
  of: ({ facts: { sessionContext: texts = [] } }) => (texts.length === 0 ? undefined : { texts }),
});
