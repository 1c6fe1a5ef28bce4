import { defineReplaceable } from '../text/replaceable.ts';
import { quote } from '../text/markup.ts';

export interface ToldSession {
  readonly id: number;
  readonly command: string;
  /** UTC, to the minute. */
  readonly since: string;
}

/** As many as can run at once. */
const mostNamed = 64;
const longestCommand = 100;

export const sessionsFragment = defineReplaceable<{ readonly sessions: readonly ToldSession[] }>({
  id: 'sessions',
  purpose: 'Which commands ran as sessions when history was compacted.',
  role: 'developer',
  markers: ['<command_sessions>', '</command_sessions>'],
  capTokens: 3500,
  section: 'capstan.sessions',
  notice: 'This takes the place of the list given before.',
  body({ sessions }) {
    const lines = sessions
      .slice(0, mostNamed)
      .map(({ id, command, since }) => `${id}: ${quote(shortCommand(command))}, since ${since}\n`);
    return `Sessions that write_stdin reaches, as of the last compaction of this conversation:\n${lines.join('')}`;
  },
  withdrawn: '\nThe sessions listed before have ended.\n',
});

/** As much of a script as one line of a list has space for. */
export function shortCommand(command: string): string {
  const line = command.replaceAll(/\s+/g, ' ').trim();
  return line.length > longestCommand ? `${[...line].slice(0, longestCommand).join('')} …` : line;
}
