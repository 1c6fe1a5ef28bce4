import type { OpenFile } from '../../ports/files.ts';

/** Closes the file, whatever becomes of the work with it. */
export async function withOpen<Result>(
  opening: Promise<OpenFile>,
  work: (file: OpenFile) => Promise<Result>,
): Promise<Result> {
  const file = await opening;
  try {
    return await work(file);
  } finally {
    await file.close();
  }
}

/** A part of a file as if it were the whole. */
export function fileWindow(file: OpenFile, start: number, end: number): OpenFile {
  return {
    ...file,
    size: async () => end - start,
    read: (position, length, memory) =>
      file.read(start + position, Math.max(0, Math.min(length, end - start - position)), memory),
    ...(file.tooLong && {
      tooLong: () =>
        file.tooLong!()
          .filter((line) => line.start >= start && line.end <= end)
          .map((line) => ({ start: line.start - start, end: line.end - start })),
    }),
  };
}

/** Where the last whole line of a file ends: after its last newline. */
export async function endOfLastLine(file: OpenFile, size: number): Promise<number> {
  const block = 64 * 1024;
  const known = file.tooLong?.().find(({ end }) => end === size);
  if (known !== undefined) return known.start;
  for (let end = size; end > 0; end -= block) {
    const start = Math.max(0, end - block);
    const bytes = Buffer.from(await file.read(start, end - start));
    const at = bytes.lastIndexOf(0x0a);
    if (at >= 0) return start + at + 1;
  }
  return 0;
}
