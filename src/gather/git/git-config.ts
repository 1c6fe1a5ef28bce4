import { defined } from '../../protocol/defined.ts';

export interface GitConfigEntry {
  /** In lower case, as sections and keys are compared. */
  readonly section: string;
  /** With its case. */
  readonly subsection?: string;
  readonly key: string;
  readonly value: string;
}

/** What a configuration file of git sets, in order. Included files are not read. */
export function* gitConfigEntries(text: string): Generator<GitConfigEntry> {
  let place: Pick<GitConfigEntry, 'section' | 'subsection'> | undefined;
  // A backslash at the end of a line joins it with the next.
  for (const whole of text.replace(/\\\r?\n/g, '').split('\n')) {
    let line = whole.trim();
    // Several may stand on one line.
    while (line.startsWith('[')) {
      // Two runs of blanks that may touch would be tried in every split, so the second belongs to the quoted name.
      const [header = '', section, name] = /^\[\s*([\w.-]+)\s*(?:"((?:[^"\\]|\\.)*)"\s*)?\]/.exec(line) ?? [];
      const subsection = name?.replace(/\\(.)/g, '$1');
      place = section === undefined ? undefined : { section: section.toLowerCase(), ...defined({ subsection }) };
      line = header === '' ? '' : line.slice(header.length).trimStart();
    }
    const equals = line.indexOf('=');
    if (place === undefined || equals < 0) continue;
    const key = line.slice(0, equals).trim().toLowerCase();
    yield { ...place, key, value: plainValue(line.slice(equals + 1).trim()) };
  }
}

/** The first value of a key, or undefined. The subsection is compared with its case. Included files are not read. */
export function gitConfigValue(
  text: string,
  wanted: { readonly section: string; readonly subsection?: string; readonly key: string },
): string | undefined {
  for (const { section, subsection, key, value } of gitConfigEntries(text)) {
    if (section === wanted.section && subsection === wanted.subsection && key === wanted.key) return value;
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
