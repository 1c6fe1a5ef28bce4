import { defineFragment } from '../text/define.ts';
import { quote } from '../text/markup.ts';
import { shortCommand } from '../sections/sessions.ts';

/** Why sessions are no more, where no answer to a call says it. */
export type SessionsOver = 'gone' | 'elsewhere' | 'narrowed' | 'stopped';

const why: Readonly<Record<SessionsOver, string>> = {
  gone: 'These command sessions have ended, at the latest with the program that ran this conversation; what they had not told you is lost:',
  elsewhere:
    'These command sessions belong to the conversation that this one was branched from, and cannot be reached:',
  narrowed: 'These command sessions had more permissions than you have now, and were ended:',
  stopped: 'The user ended these command sessions; what they had not told you is lost:',
};

const mostNamed = 64;

export interface SessionsEndedText {
  readonly [key: string]: string | readonly { readonly [key: string]: string | number }[];
  readonly why: SessionsOver;
  readonly sessions: readonly { readonly id: number; readonly command: string }[];
}

export const sessionsEndedFragment = defineFragment<SessionsEndedText>({
  id: 'sessions-ended',
  purpose: 'Which command sessions ended without an answer that says so, and why.',
  role: 'developer',
  markers: ['<sessions_ended>', '</sessions_ended>'],
  capTokens: 3500,
  body({ why: cause, sessions }) {
    const lines = sessions.slice(0, mostNamed).map(({ id, command }) => `${id}: ${quote(shortCommand(command))}\n`);
    return `\n${why[cause]}\n${lines.join('')}`;
  },
});
