import { defineReplaceable } from '../text/replaceable.ts';
import { withoutLineBreaks } from '../text/markup.ts';

export interface ToldAgent {
  readonly path: string;
  readonly role: string;
  /** `working`, or how its last work ended. */
  readonly stands: string;
}

/** More than work side by side; older ones are counted. */
const mostNamed = 40;

export const knownAgentsFragment = defineReplaceable<{ readonly agents: readonly ToldAgent[] }>({
  id: 'known-agents',
  purpose: 'Which agents the thread had when history was compacted.',
  role: 'developer',
  markers: ['<known_agents>', '</known_agents>'],
  capTokens: 3500,
  section: 'capstan.agents',
  notice: 'This takes the place of the list given before.',
  body({ agents }) {
    const lines = agents
      .slice(-mostNamed)
      .map(({ path, role, stands }) => `${line(path)} (${line(role)}): ${stands}\n`);
    const older = agents.length > mostNamed ? `… and ${agents.length - mostNamed} older ones\n` : '';
    return `Agents that you started, as of the last compaction of this conversation (list_agents gives how they stand now, and their last answers):\n${older}${lines.join('')}`;
  },
  withdrawn: '\nThe agents listed before are no more.\n',
});

/** A role is named by a file of the user. */
function line(text: string): string {
  return withoutLineBreaks(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
