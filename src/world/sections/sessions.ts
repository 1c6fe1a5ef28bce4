import { sessionsFragment, type ToldSession } from '../../fragments/sections/sessions.ts';
import { textSection } from './text-section.ts';

/** Commands that a checkpoint left running: the answers that told of them are no more. Later answers say what became of them. */
export const sessionsSection = textSection<{ readonly sessions: readonly ToldSession[] }>({
  id: 'capstan.sessions',
  assumes: 'the permissions under which they run',
  kind: sessionsFragment,
  of: ({ facts: { sessions = [] } }) => (sessions.length === 0 ? undefined : { sessions }),
});
