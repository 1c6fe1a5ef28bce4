/** The types of pictures that the format takes inline. */
const mediaTypes: Readonly<Record<string, string>> = {
  'image/jpeg': 'image/jpeg',
  'image/jpg': 'image/jpeg',
  'image/png': 'image/png',
  'image/gif': 'image/gif',
  'image/webp': 'image/webp',
};

/** The block of a picture by its address, a data URL or a web address; undefined for one that the format cannot take. */
export function imageBlock(address: string): string | undefined {
  if (/^https?:\/\//i.test(address)) {
    return JSON.stringify({ type: 'image', source: { type: 'url', url: address } });
  }
  // Cut apart by hand: a pattern over megabytes of base64 is slow.
  const comma = address.indexOf(',');
  const [scheme = '', ...parameters] = address.slice(0, Math.max(0, comma)).toLowerCase().split(';');
  const type = scheme.startsWith('data:') ? scheme.slice('data:'.length) : '';
  const mediaType = Object.hasOwn(mediaTypes, type) ? mediaTypes[type] : undefined;
  const data = address.slice(comma + 1);
  if (mediaType === undefined || !parameters.includes('base64') || data === '') return undefined;
  return JSON.stringify({ type: 'image', source: { type: 'base64', media_type: mediaType, data } });
}
