import type { Outcome } from '../../../protocol/outcome.ts';
import { type BoundedReading, readBounded, type UnreadFile } from '../../disk/regular-files.ts';
import { imageFormat } from './load-image.ts';

export type TextProblem = Outcome<`file-${'missing' | 'denied' | 'too-large' | 'unreadable' | 'picture' | 'binary'}`>;
const mostBytes = 10 * 1024 * 1024;

/** Reads a text file for the model. The path is absolute. Invalid UTF-8 is replaced. */
export function loadText(path: string, reading: Pick<BoundedReading, 'denies'>): string | TextProblem {
  const file = readBounded(path, { ...reading, maxBytes: mostBytes });
  if (file.kind === 'missing') {
    const message = `There is no file ${path}.`;
    return { code: 'file-missing', message, next: 'Find it with the tool search, in="names".' };
  }
  if (file.kind === 'unread') return unread(path, file);
  const { bytes } = file;
  const picture = imageFormat(bytes);
  if (picture !== undefined) {
    const message = `${path} is a picture (${picture.format}).`;
    return { code: 'file-picture', message, next: 'Look at it with view_image, if you have that tool.' };
  }
  if (bytes.subarray(0, 8000).includes(0)) {
    const next = 'Use a command that understands its format.';
    return { code: 'file-binary', message: `${path} does not hold text.`, next };
  }
  return bytes.toString('utf8').replace(/^\ufeff/, '');
}

function unread(path: string, { why, reason }: UnreadFile): TextProblem {
  if (why === 'denied') {
    const next = 'Do without it, or tell the user what is needed.';
    return { code: 'file-denied', message: `The policy does not allow reading ${path}.`, next };
  }
  if (why === 'too-large') {
    const next = 'Read a part of it with a command, such as sed -n 1,100p.';
    return { code: 'file-too-large', message: `${path} has more than 10 MB.`, next };
  }
  const next = 'To see what is in a folder, use the tool search with in="names", or a command.';
  return { code: 'file-unreadable', message: `${path} cannot be read: ${reason}.`, next };
}
