import type { RequestMessage } from '../plan/request.ts';

/** What a compaction says to the model, in the role of the user; it stands in its request alone. */
export function userSays(text: string): RequestMessage {
  return { role: 'user', text };
}
