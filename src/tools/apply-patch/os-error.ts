import { errorCode } from '../../protocol/error-code.ts';

const sentences: Readonly<Record<string, string>> = {
  ENOENT: 'No such file or directory',
  ENOTDIR: 'Not a directory',
  EISDIR: 'Is a directory',
  EACCES: 'Permission denied',
  EPERM: 'Operation not permitted',
  EROFS: 'Read-only file system',
  ENOSPC: 'No space left on device',
  ELOOP: 'Too many levels of symbolic links',
  ENAMETOOLONG: 'File name too long',
  EEXIST: 'File exists',
};

/** Why the disk refused, in the words of the operating system. */
export function osError(error: unknown): string {
  const code = errorCode(error);
  if (code !== undefined) return osErrorOf(code);
  return error instanceof Error ? error.message : String(error);
}

export function osErrorOf(code: string): string {
  const sentence = sentences[code];
  return sentence === undefined ? code : `${sentence} (${code})`;
}
