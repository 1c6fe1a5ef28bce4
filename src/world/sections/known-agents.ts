import { knownAgentsFragment, type ToldAgent } from '../../fragments/sections/known-agents.ts';
import { textSection } from './text-section.ts';

/** Agents of the moment of a checkpoint, which took away what told of them. Answers and notifications say what became of them. */
export const knownAgentsSection = textSection<{ readonly agents: readonly ToldAgent[] }>({
  id: 'capstan.agents',
  assumes: 'the permissions that agents have at most',
  kind: knownAgentsFragment,
  of: ({ facts: { agents = [] } }) => (agents.length === 0 ? undefined : { agents }),
});
