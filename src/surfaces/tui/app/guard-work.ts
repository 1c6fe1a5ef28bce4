import { errorWords } from '../../../protocol/error-words.ts';
import { Fault, fullText } from '../../../protocol/outcome.ts';

/** Nothing that goes wrong with one wish ends the terminal: the user reads it, and goes on. */
export async function guardWork(work: Promise<unknown>, notice: (text: string, level: 'error') => void): Promise<void> {
  try {
    await work;
  } catch (error) {
    const text = error instanceof Fault ? fullText({ message: error.message, next: error.next }) : errorWords(error);
    notice(text, 'error');
  }
}
