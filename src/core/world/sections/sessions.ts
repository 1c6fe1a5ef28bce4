import type { Step } from '../../envelope/envelope.ts';
import { defineFragment, defineReplaceableFragment } from '../../fragments/text/define-fragment.ts';
import { quote } from '../../fragments/text/escape-markup.ts';
import { textSection } from './section.ts';

type ToldSessions = Required<Pick<Step['facts'], 'sessions'>>;
/** As many as can run at once. */
const mostSessions = 64;
const longestCommand = 100;

export const sessionsFragment = defineReplaceableFragment<ToldSessions>({
  id: 'sessions',
  purpose: 'Which commands ran as sessions when history was compacted.',
  markers: ['<command_sessions>', '</command_sessions>'],
  capTokens: 3500,
  section: 'capstan.sessions',
  notice: 'This takes the place of the list given before.',
  body({ sessions }) {
    const lines = sessions
      .slice(0, mostSessions)
      .map(({ id, command, since }) => `${id}: ${quote(shortCommand(command))}, since ${since}\n`);
    return `Sessions that write_stdin reaches, as of the last compaction of this conversation:\n${lines.join('')}`;
  },
  withdrawn: '\nThe sessions listed before have ended.\n',
});

function shortCommand(command: string): string {
  const line = command.replaceAll(/\s+/g, ' ').trim();
  return line.length > longestCommand ? `${[...line].slice(0, longestCommand).join('')} …` : line;
}

/** Commands that a checkpoint left running: the answers that named them are gone. A later answer says if one ends. */
export const sessionsSection = textSection<ToldSessions>({
  assumes: 'the permissions under which they run',
  kind: sessionsFragment,
  of: ({ facts: { sessions = [] } }) => (sessions.length === 0 ? undefined : { sessions }),
});

/** Why sessions ended or cannot be reached, if no answer to a call says it. */
export type SessionsEndReason = 'gone' | 'elsewhere' | 'narrowed' | 'stopped';

const why: Readonly<Record<SessionsEndReason, string>> = {
  gone: 'These command sessions have ended, at the latest with the program that ran this conversation; what they had not told you is lost:',
  elsewhere:
    'These command sessions belong to the conversation that this one was branched from, and cannot be reached:',
  narrowed: 'These command sessions had more permissions than you have now, and were ended:',
  stopped: 'The user ended these command sessions; what they had not told you is lost:',
};

export interface SessionsEndedText {
  readonly [key: string]: string | readonly { readonly [key: string]: string | number }[];
  readonly why: SessionsEndReason;
  readonly sessions: readonly { readonly id: number; readonly command: string }[];
}

export const sessionsEndedFragment = defineFragment<SessionsEndedText>({
  id: 'sessions-ended',
  purpose: 'Which command sessions ended without an answer that says so, and why.',
  capTokens: 3500,
  body({ why: cause, sessions }) {
    const lines = sessions.slice(0, mostSessions).map(({ id, command }) => `${id}: ${quote(shortCommand(command))}\n`);
    return `\n${why[cause]}\n${lines.join('')}`;
  },
});
