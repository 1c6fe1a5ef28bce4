/**
 * A host or a pattern of hosts as it is compared: in lower case, without brackets and dots at the end, with its port if
 * it names one. Undefined: it is none.
 */
export function plainHostPattern(text: string): string | undefined {
  const written = text.trim().toLowerCase();
  const inBrackets = /^\[([0-9a-f:.]+(?:%[\w.-]+)?)\](?::(\d{1,5}))?$/.exec(written);
  if (inBrackets !== null) {
    const [, address = '', port] = inBrackets;
    return port === undefined ? address : atPort(`[${address}]`, port);
  }
  if (/^[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*(?:%[\w.-]+)?$/.test(written)) return written;
  const found = /^(\*|(?:\*\*?\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)\.*(?::(\d{1,5}))?$/.exec(written);
  if (found === null) return undefined;
  const [, host = '', port] = found;
  return port === undefined ? host : atPort(host, port);
}

function atPort(host: string, port: string): string | undefined {
  const number = Number(port);
  return number >= 1 && number <= 65_535 ? `${host}:${number}` : undefined;
}
