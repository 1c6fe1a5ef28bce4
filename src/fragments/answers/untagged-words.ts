import { goOnNarrower } from './agent-answers.ts';
import { continueAfterFailure, continueForAnother } from './fallback-words.ts';

/**
 * What Capstan says, or said in earlier versions, in the role of the user and without a tag: threads hold it so, and most
 * formats keep it apart.
 */
const untaggedWords: ReadonlySet<string> = new Set([continueForAnother, continueAfterFailure, goOnNarrower]);

/** Whether a whole message of the user's role is such words, and not the user's. */
export function isUntaggedWords(text: string): boolean {
  return untaggedWords.has(text);
}
