const ascii = /^[ -~]*$/;
/** Scripts and signs whose characters take one column each and never join. */
const single =
  /^[ -~\u00A1-\u00AC\u00AE-\u02FF\u0370-\u0482\u048A-\u0530\u2010-\u2027\u2030-\u203B\u203D-\u2048\u204A-\u205E\u20A0-\u20BF\u2190-\u21FF\u2500-\u25FC\u2610\u2611\u2713\u2714\u2717\u2718]*$/;

export const isSingleColumnText = (text: string): boolean => ascii.test(text) || single.test(text);

export function countColumns(line: string): number {
  if (isSingleColumnText(line)) return line.length;
  let columns = 0;
  for (let at = 0, end = 0; at < line.length; at = end) {
    end = endOfCluster(line, at);
    columns += columnsBetween(line, at, end);
  }
  return columns;
}

export type Grapheme = { readonly text: string; readonly columns: number };

export function* splitGraphemes(line: string): Generator<Grapheme> {
  for (let at = 0, end = 0; at < line.length; at = end) {
    end = endOfCluster(line, at);
    yield { text: line.slice(at, end), columns: columnsBetween(line, at, end) };
  }
}

/** Cuts a line to a width. Reads no more of it than that: a line may be long. */
export function cutToColumns(line: string, columns: number): string {
  if (columns <= 0) return '';
  if (isSingleColumnText(line.slice(0, columns + 1))) return line.slice(0, columns);
  let [end, left] = [0, columns];
  for (const cluster of splitGraphemes(line)) {
    left -= cluster.columns;
    if (left < 0) break;
    end += cluster.text.length;
  }
  return line.slice(0, end);
}

/** Most text needs no pattern: a letter that never joins others, followed by another such letter. */
function endOfCluster(line: string, at: number): number {
  if (standsAlone(line.charCodeAt(at)) && (at + 1 === line.length || standsAlone(line.charCodeAt(at + 1))))
    return at + 1;
  clusterPattern ??= new RegExp(clusters.join('|'), 'ysu');
  clusterPattern.lastIndex = at;
  return clusterPattern.test(line) ? clusterPattern.lastIndex : at + 1;
}

/** True if it is no mark, half of a sign or part of a syllable: Latin, Chinese and Japanese letters. */
const standsAlone = (code: number): boolean =>
  code < 0x300 || (code >= 0x3041 && code <= 0x9fff && code !== 0x3099 && code !== 0x309a);

function columnsBetween(line: string, at: number, end: number): number {
  const code = line.charCodeAt(at);
  if (end === at + 1 && standsAlone(code)) return code < 0x300 ? 1 : 2;
  return clusterColumns(line.slice(at, end));
}

let clusterPattern: RegExp | undefined;
let widePattern: RegExp | undefined;
let markPattern: RegExp | undefined;
/** Zero-width marks, except those that some terminals give a column: a row counted too short becomes two. */
const mark = String.raw`(?![\u065F\u1033-\u1035\u103A\u103D\u103E])[\p{Mn}\p{Me}]`;
/** Format characters that no terminal gives a column. */
const control = String.raw`[\u200B-\u200F\u202A-\u202E\u2060-\u2063\u206A-\u206F\uFEFF\uFFF9-\uFFFB\u{1D173}-\u{1D17A}\u{E0001}\u{E0020}-\u{E007F}]`;
const joined = String.raw`\p{Emoji_Modifier}?(?:[\uFE0E\uFE0F]|${mark})*`;

const clusters = [
  String.raw`\p{RI}\p{RI}`,
  String.raw`[0-9#*]\uFE0F?\u20E3`,
  String.raw`\p{Extended_Pictographic}${joined}(?:\u200D\p{Extended_Pictographic}${joined})*`,
  String.raw`(?:[\u1100-\u115F\uA960-\uA97C](?:[\u1160-\u11A7\uD7B0-\uD7C6][\u11A8-\u11FF\uD7CB-\uD7FB]*)?|[\uAC00-\uD7A3][\u11A8-\u11FF\uD7CB-\uD7FB]*)(?:${mark})*`,
  String.raw`.(?:[\u200C\u200D]|${mark})*`,
];

function clusterColumns(cluster: string): number {
  if (/^[0-9#*]\uFE0F?\u20E3/.test(cluster)) return 2;
  markPattern ??= new RegExp(String.raw`^(?:${mark}|${control})`, 'u');
  if (markPattern.test(cluster)) return 0;
  widePattern ??=
    /^(?:\p{Emoji_Presentation}|\p{RI}|[\u1100-\u115F\u2329\u232A\u2630-\u2637\u268A-\u268F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97C\uAC00-\uD7A3\uF900-\uFAFF\uFE10-\uFE19\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{16FE0}-\u{18DFF}\u{1AFF0}-\u{1B2FF}\u{1D300}-\u{1D376}\u{1F200}-\u{1F265}\u{1F300}-\u{1F320}\u{1F90C}-\u{1F93A}\u{1F93C}-\u{1F945}\u{1F947}-\u{1F9FF}\u{1FA70}-\u{1FAFF}\u{20000}-\u{3FFFD}]|\p{Extended_Pictographic}.*(?:\uFE0F|\u200D|\p{Emoji_Modifier}))/su;
  return widePattern.test(cluster) ? 2 : 1;
}
