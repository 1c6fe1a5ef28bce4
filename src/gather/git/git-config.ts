/**
 * The first value of a key in a git configuration file, or undefined. Section and key are compared without case, the
 * subsection with it. Files that it includes are not read.
 */
export function gitConfigValue(
  text: string,
  wanted: { readonly section: string; readonly subsection?: string; readonly key: string },
): string | undefined {
  let inside = false;
  for (const whole of joinedLines(text)) {
    let line = whole.trim();
    if (line.startsWith('[')) {
      const header = readHeader(line);
      inside = header?.section === wanted.section && header.subsection === wanted.subsection;
      line = header?.rest ?? '';
    }
    const equals = line.indexOf('=');
    if (!inside || equals < 0) continue;
    if (line.slice(0, equals).trim().toLowerCase() === wanted.key) return plainValue(line.slice(equals + 1).trim());
  }
  return undefined;
}

/** A backslash at the end of a line joins it with the next. */
function joinedLines(text: string): readonly string[] {
  return text.replace(/\\\r?\n/g, '').split('\n');
}

/** `[section "subsection"]`, and what may follow on the same line. */
function readHeader(line: string): { section: string; subsection?: string; rest: string } | undefined {
  // Two runs of blanks that may touch would be tried in every split, so the second belongs to the quoted name.
  const [whole, section, subsection] = /^\[\s*([\w.-]+)\s*(?:"((?:[^"\\]|\\.)*)"\s*)?\]/.exec(line) ?? [];
  if (whole === undefined || section === undefined) return undefined;
  return {
    section: section.toLowerCase(),
    ...(subsection === undefined ? {} : { subsection: subsection.replace(/\\(.)/g, '$1') }),
    rest: line.slice(whole.length),
  };
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
