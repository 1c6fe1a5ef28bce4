/** The first value of a key, or undefined. The subsection is compared with its case. Included files are not read. */
export function gitConfigValue(
  text: string,
  wanted: { readonly section: string; readonly subsection?: string; readonly key: string },
): string | undefined {
  let inside = false;
  // A backslash at the end of a line joins it with the next.
  for (const whole of text.replace(/\\\r?\n/g, '').split('\n')) {
    let line = whole.trim();
    if (line.startsWith('[')) {
      // Two runs of blanks that may touch would be tried in every split, so the second belongs to the quoted name.
      const [header = '', section, name] = /^\[\s*([\w.-]+)\s*(?:"((?:[^"\\]|\\.)*)"\s*)?\]/.exec(line) ?? [];
      inside = section?.toLowerCase() === wanted.section && name?.replace(/\\(.)/g, '$1') === wanted.subsection;
      line = line.slice(header.length);
    }
    const equals = line.indexOf('=');
    if (!inside || equals < 0) continue;
    if (line.slice(0, equals).trim().toLowerCase() === wanted.key) return plainValue(line.slice(equals + 1).trim());
  }
  return undefined;
}

/** Without quotes and comments, and without space around it unless it was quoted. */
function plainValue(written: string): string {
  if (!/["\\#;]/.test(written)) return written;
  let value = '';
  let isQuoted = false;
  for (let at = 0; at < written.length; at++) {
    const character = written.charAt(at);
    if (character === '\\') {
      at++;
      value += escapes[written.charAt(at)] ?? written.charAt(at);
    } else if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (character === '#' || character === ';')) return value.trimEnd();
    else value += character;
  }
  return value;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b' };
