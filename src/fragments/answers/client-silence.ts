/** Why there is no word of the user: the program that was to ask failed to bring one. It is no one's no. */
export type ClientSilence = 'unreadable' | 'failed' | 'timed-out';

/** The note of such an answer, for the model. */
export const clientSilence: Readonly<Record<ClientSilence, string>> = {
  unreadable: 'The client did not answer the question in a form Capstan can read.',
  failed: 'The client failed to ask its user.',
  'timed-out': 'The client had no answer of its user in time.',
};

/** The call was to be asked about, and no answer of the user came through. */
export function notAskedByClient(note = clientSilence.unreadable): string {
  return `Not run: no answer of the user reached Capstan. ${note} Do without it, or tell the user what is needed.`;
}
