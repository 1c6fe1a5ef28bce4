import type { AskedHost } from '../protocol/asked-host.ts';

/** `unasked`: the question would reach no one. */
export type HostAnswer = 'allowed' | 'declined' | 'unasked';

/**
 * Answers while the command waits. The signal ends the question: the command is over. The proxy takes a rejection as
 * `declined`.
 */
export type AnswerHost = (host: AskedHost, signal: AbortSignal) => Promise<HostAnswer>;
