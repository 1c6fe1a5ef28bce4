import { parseThreadId } from '../../protocol/ids.ts';
import { kilobytes } from './kilobytes.ts';
import { linkRollout } from './place.ts';
import type { Stage } from './play-turn.ts';
import { proveFromFile } from './proof.ts';
import { type Trouble, unexpectedTrouble } from './trouble.ts';

/** Holds the thread's file against what the scripted model received. */
export async function showProof({ page, place, model }: Stage, threadId: string): Promise<Trouble | undefined> {
  page.heading('4. The file of the thread gives back every request');
  const id = parseThreadId(threadId);
  const proof = id === undefined ? undefined : await proveFromFile(place.home, id, model.requests);
  if (proof === undefined) return unexpectedTrouble('The thread left no file.');
  const { requests, rebuilt, requestBytes, repeatedBytes } = proof;
  const isWhole = rebuilt === requests;
  page.paragraph(
    `${rebuilt} of ${requests} requests rebuilt byte for byte from the file (${kilobytes(requestBytes)}).`,
    isWhole ? 'good' : 'bad',
  );
  if (proof.extends) {
    const percent = Math.floor((100 * repeatedBytes) / requestBytes);
    page.paragraph(
      `Each request's input extends the one before: a provider's cache can serve ${percent}% of the bytes.`,
      'good',
    );
  }
  page.gap();
  page.paragraph(
    `The file is the thread's rollout, ${linkRollout(place, proof.path)} (${kilobytes(proof.fileBytes)}): every ` +
      'message, call, output and setting as a line of JSON. The engine keeps nothing else of a thread. The folder ' +
      'stays, so that you can look around in it.',
  );
  if (!isWhole) return unexpectedTrouble('A request differs from what the file gives back.');
  return proof.extends ? undefined : unexpectedTrouble("A request's input does not extend the one before.");
}
