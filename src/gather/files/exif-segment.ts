/**
 * A JPEG with the metadata of the one that it was made from: they say which side of a photograph is up. The decoder and
 * the encoder ignore them.
 */
export function withExif(made: Uint8Array, original: Uint8Array): Uint8Array {
  const exif = exifSegment(original);
  return exif === undefined ? made : Buffer.concat([made.subarray(0, 2), exif, made.subarray(2)]);
}

/** The segment with its marker and length. It stands before the picture, among other segments. */
function exifSegment(jpeg: Uint8Array): Uint8Array | undefined {
  for (let at = 2; at + 10 <= jpeg.length && jpeg[at] === 0xff;) {
    const end = at + 2 + (jpeg[at + 2] ?? 0) * 256 + (jpeg[at + 3] ?? 0);
    if (jpeg[at + 1] === 0xda) return undefined;
    const isExif = jpeg[at + 1] === 0xe1 && Buffer.from(jpeg.subarray(at + 4, at + 8)).toString('latin1') === 'Exif';
    if (isExif) return end <= jpeg.length ? jpeg.subarray(at, end) : undefined;
    at = Math.max(end, at + 4);
  }
  return undefined;
}
