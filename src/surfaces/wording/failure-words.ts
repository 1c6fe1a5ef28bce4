import type { Outcome } from '../../protocol/outcome.ts';

/** Why no model made a checkpoint, in a few words for people. */
const reasons: Readonly<Record<string, string>> = {
  'answer-too-large': 'its answer was too large',
  'answer-too-slow': 'its answer took too long',
  'compaction-answer-unusable': 'its answers could not be used',
  'compaction-candidate-malformed': 'its checkpoint could not be used',
  'compaction-no-gain': 'its checkpoint was too large',
  'compaction-request-too-large': 'the history does not fit a request',
  'connection-failed': 'the provider could not be reached',
  'context-window-exceeded': 'the provider refused the request as too long',
  incomplete: 'its answer was cut short',
  'invalid-request': 'the provider refused the request',
  overloaded: 'the provider was overloaded',
  policy: 'the provider refused the request under its policy',
  'rate-limited': 'the provider takes no more requests for now',
  'server-error': 'the provider reported an error',
  'stream-cut': 'the connection broke off',
  'stream-idle': 'the provider stopped answering',
  unauthorized: 'the provider refused the login',
  'usage-limit': 'the quota is used up',
};

/** A file may hold a code that this version does not know: then the message speaks for itself. */
export function failureWords({ code, message }: Outcome): string {
  return (Object.hasOwn(reasons, code) ? reasons[code] : undefined) ?? message.replace(/\.$/, '');
}
