/** One thing that a run left: a request, a file, an event stream, a screen. */
export interface RunRecord {
  readonly kind: 'request' | 'file' | 'event' | 'output' | 'exit' | 'screen';
  readonly name: string;
  readonly text: string;
}

/** When a run took place, in milliseconds since 1970. */
export interface RunTime {
  readonly from: number;
  readonly to: number;
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
/** Shorter ids: of a question, and of a stored blob, which is the digest of a text with ids. */
const namedId = /(?:"question(?:_id":"|":\{"id":")([0-9a-f]{16})|\/blobs\/([0-9a-f]{2})\/([0-9a-f]{62}))\b/g;
const dayMs = 24 * 60 * 60 * 1000;

/** Keys whose values differ between two runs of one program: measured times, processes, digests of texts with ids. */
const measuredKeys =
  'answer_ms|duration_ms|durationMs|first_event_ms|total_ms|nanos|secs|pid|process|mark|seal|sha256|digests|' +
  'end_byte_offset|end_ordinal_exclusive|common';
const measured = new RegExp(`("(?:${measuredKeys})": ?)(?:-?\\d+(?:\\.\\d+)?|"[^"]*"(?=[,}\\n]))`, 'g');
/** Digests of a question, with its ids, and of a frame of a WebSocket. */
const digests = /(?<="about":)"[0-9a-f]{64}"|(?<="digest":)"[0-9a-f]{8}"/g;

/**
 * Replaces what differs between two runs of one program by marks: ids by the order of their first appearance in all
 * records, times of the run, durations, processes, and places of source files. Everything else stays as it is.
 */
export function normalise(records: readonly RunRecord[], time: RunTime): readonly RunRecord[] {
  const ids = new Map<string, string>();
  for (const { name, text } of records) {
    for (const [id] of `${name}\n${text}`.matchAll(uuid)) if (!ids.has(id)) ids.set(id, `<id ${ids.size + 1}>`);
  }
  for (const { name, text } of records) {
    for (const [, ...parts] of `${name}\n${text}`.matchAll(namedId)) {
      const id = parts.join('');
      if (!ids.has(id)) ids.set(id, `<id ${ids.size + 1}>`);
    }
  }
  const plain = new Map([...ids].map(([id, mark]) => [id.replaceAll('-', ''), mark]));
  // Ids of one minute begin alike, so a beginning names none of them.
  const beginnings = new Set([...ids.keys()].map((id) => id.slice(0, 8)));
  const replaced = (text: string): string =>
    timesReplaced(text.replaceAll(/(\/blobs\/[0-9a-f]{2})\/(?=[0-9a-f]{62}\b)/g, '$1'), time)
      .replaceAll(uuid, (id) => ids.get(id) ?? id)
      .replaceAll(/\b(?:[0-9a-f]{16}|[0-9a-f]{32}|[0-9a-f]{64})\b/g, (id) => ids.get(id) ?? plain.get(id) ?? id)
      .replaceAll(/\b([0-9a-f]{8})(?:-[0-9a-f]{4}){0,2}(?![0-9a-f-])/g, (start, first: string) =>
        beginnings.has(first) ? '<beginning of an id>' : start,
      )
      .replaceAll(/<id (\d+)> \d{4,}\b/g, '<id $1> <ticks>')
      .replaceAll(/"\d+-[0-9a-z]{8}-(\d+)"/g, '"<process>-$1"')
      .replaceAll(measured, '$1<measured>')
      .replaceAll(digests, '"<digest>"')
      .replaceAll(/(?:"src\/[\w/.-]+\.ts"[,\s]*)+/g, '<source files>')
      .replaceAll(/(?<=^ {6}"roles": )\[[^\]]*\]/gm, '<roles of source files>')
      .replaceAll(/(chunks\/[\w-]+?)-[\w-]{8}\.js/g, '$1-<digest>.js');
  return records.map(({ kind, name, text }) => {
    const isStream = kind === 'event' || name.endsWith('.jsonl');
    const clean = estimatesMarked(replaced(isStream ? orderedStream(text) : text), name);
    const shown = kind === 'screen' ? screenReplaced(clean) : / envelope /.test(name) ? withoutReaders(clean) : clean;
    return { kind, name: replaced(name), text: shown };
  });
}

/** `capstan envelope` names the source files that read each value in its last column. */
function withoutReaders(table: string): string {
  const rows = table.split('\n').filter((line) => !/^ {40}/.test(line));
  return rows
    .map((line) =>
      line
        .split(/(?<=\S) {2,}/)
        .slice(0, 3)
        .join('  '),
    )
    .join('\n');
}

/** Lines and events with the tokens that a provider counted. */
const counted = new RegExp(
  [
    '^\\{"timestamp":"[^"]*","ordinal":\\d+,"type":"event_msg","payload":\\{"type":"token_count"',
    '^\\{"type":"context.usage"',
    '"event":\\{"type":"usage"',
  ].join('|'),
);
/** A line about the process of a call, which is left out when the process ends at once. */
const ofProcess = /"type":"capstan_call","payload":\{[^{}]*"process":\{/;
const ordinal = /^(\{"timestamp":"[^"]*","ordinal":)(\d+)/;

/**
 * A stream of lines with those about counted tokens at its end, and without those about processes. The first call of an
 * answer begins while the end of the answer, with its count, still arrives: which line comes first differs from run to
 * run. The numbers of lines are replaced where each follows the one before it.
 */
function orderedStream(text: string): string {
  let expected = 0;
  const lines = text.split('\n').map((line, at) => {
    const number = Number(ordinal.exec(line)?.[2] ?? Number.NaN);
    const mark = number === expected ? '<next>' : at === 0 ? '<later>' : String(number);
    expected = number + 1;
    return { line, shown: line.replace(ordinal, `$1${mark}`) };
  });
  const [others, counts] = [false, true].map((isCount) =>
    lines.filter(({ line }) => counted.test(line) === isCount && !ofProcess.test(line)).map(({ shown }) => shown),
  );
  return [...others!, ...counts!]
    .join('\n')
    .replaceAll(/("cursor":")\d+@/g, '$1<line>@')
    .replaceAll(/(?<="jsonrpc".*)"ordinal":\d+|"ordinal":\d+(?=.*"jsonrpc")/g, '"ordinal":<line>')
    .replaceAll(/(?<="|\\n)\d+ (?=turn \d+ (?:context|user|call|assistant))/g, '<line> ');
}

/** Points in time while the run took place; other dates and numbers stay. */
function timesReplaced(text: string, { from, to }: RunTime): string {
  const isNow = (ms: number): boolean => ms >= from - dayMs && ms <= to + dayMs;
  return text
    .replaceAll(
      /\b(\d{4})([-/])(\d\d)\2(\d\d)(?:([T ])(\d\d)[:-](\d\d)(?:[:-](\d\d)(?:\.\d+)?)?Z?)?/g,
      (all, ...parts) => {
        const [year, , month, day, between] = parts as readonly (string | undefined)[];
        if (!isNow(Date.parse(`${year}-${month}-${day}`))) return all;
        return between === undefined ? '<date>' : '<time>';
      },
    )
    .replaceAll(/\b(?:\d{10}(?:\d{3}(?:\.\d+)?)?|\d(?:,\d{3}){4})\b/g, (digits) => {
      const number = Number(digits.replaceAll(',', ''));
      return isNow(number < 1e11 ? number * 1000 : number) ? '<time>' : digits;
    })
    .replaceAll(/(Wall time: )\d+\.\d+( seconds)/g, '$1<measured>$2')
    .replaceAll(/\b(?:just now|\d+ (?:s|min) ago)\b/g, '<ago>')
    .replaceAll(/(?<=\bexit \d+ · )\d+(?:\.\d+)? (?:ms|s)\b/g, '<duration>')
    .replaceAll(/^( {2})(?:\d+ min )?\d+ (?:ms|s|min)( · [\d,]+ in .*? out) +/gm, '$1<duration>$2 ');
}

/**
 * Marks numbers that the program estimates from texts with ids in them, which weigh a little more or less: those are
 * compared with a tolerance. Commands that explain a window print little else.
 */
function estimatesMarked(text: string, name: string): string {
  if (/capstan (?:context|threads compact)\b/.test(name))
    return text.replaceAll(/(?<![\w<.-])\d[\d,]*(?![\w>.])/g, '≈$&');
  return text
    .replaceAll(
      /("(?:estimated|estimated_tokens|tokens_before|tokens_after|tokensBefore|tokensAfter)":)(\d+)/g,
      '$1≈$2',
    )
    .replaceAll(uncounted, '$1≈$2')
    .replaceAll(/("kept_tokens":|"kind":"\w+",(?:"name":"\w+",)?"tokens":|\],"tokens":)(\d+)/g, '$1≈$2')
    .replaceAll(/("tokens":)(\d+)(?=,"(?:measure":"(?:estimated|scaled)|state"))/g, '$1≈$2')
    .replaceAll(/(?<=\b[Aa]bout (?:[\d,]+ → )?|~)\d[\d,]*(?= tokens| →|\s)/g, '≈$&');
}

/** A total that no provider counted. */
const uncounted = new RegExp(
  `(${['input', 'cached_input', 'cache_write_input', 'output', 'reasoning_output']
    .map((key) => `"${key}_tokens":0,`)
    .join('')}"total_tokens":)(\\d+)`,
  'g',
);

/** Durations in rows of a screen, and the shares of a context window in the rows that have its colours. */
function screenReplaced(text: string): string {
  return text
    .replaceAll(/^.*(?:█ \w|Largest:).*$/gm, (row) => row.replaceAll(/\b\d+\b/g, '≈$&'))
    .replaceAll(/(Worked for |[(·] ?)(?:<?\d+m ?)?<?\d+(?:\.\d+)? ?(?:ms|s)\b/g, '$1<duration>')
    .replaceAll(/ \(<duration>\)$/gm, '')
    .replaceAll(/(?<= · )\d\d:\d\d\b/g, '<time>')
    .replaceAll(/ +$/gm, '');
}
