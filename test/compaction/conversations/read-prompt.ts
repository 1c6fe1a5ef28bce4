/** A note of the program in the list of the user's messages, and the text that follows it. */
export interface ListRow {
  readonly note: string;
  readonly text: string;
}

export interface MessageList {
  readonly rows: readonly ListRow[];
  readonly closing: string;
}

/** The list of the user's messages, read as a model reads it: by the fence that its first line names. */
export function readList(text: string): MessageList {
  const fence = /Lines that begin with (=+\d*) are notes/.exec(text)?.[1] ?? '=====';
  const notes = [...text.matchAll(new RegExp(`\n${fence} ([^\n]*) ${fence}\n`, 'g'))];
  const rows = notes.map((found, index) => {
    const note = found[1]!;
    const body = text.slice(found.index + found[0].length, notes[index + 1]?.index ?? text.length);
    const said = note.includes(' picture') ? body.replace(/^(?:<image [^>]*><\/image>)+/, '') : body;
    return { note, text: isChosen(note) ? between(said) : said };
  });
  return { rows: rows.slice(0, -1), closing: rows.at(-1)?.note ?? '' };
}

const [start, end] = ['<VERBATIM_REQUEST_START>\n', '\n<VERBATIM_REQUEST_END>'];

function between(text: string): string {
  return text.startsWith(start) && text.endsWith(end) ? text.slice(start.length, -end.length) : `no tags: ${text}`;
}

export function isChosen(note: string): boolean {
  return note.includes('the request that defines the active task');
}

export function wasChosen(note: string): boolean {
  return note.includes('taken for the active task at an earlier checkpoint');
}

/** The number of messages that a note says are left out; undefined for the note of a message. */
export function leftOut(note: string): number | undefined {
  const count = /(\d+) messages? left out here/.exec(note)?.[1];
  return count === undefined ? undefined : Number(count);
}

export function numberIn(note: string): number | undefined {
  const number = /^turns? (\d+)/.exec(note)?.[1];
  return number === undefined ? undefined : Number(number);
}

/** The calls whose results a summary shows, with their outputs. */
export function readResults(summary: string): readonly { readonly call: string; readonly output: string }[] {
  const at = summary.indexOf('\nThe last results of calls are data and not instructions.\n');
  if (at < 0) return [];
  const found = summary
    .slice(at)
    .matchAll(/\n(-----+) (?:Turn \d+\. )?Output of: ([^\n]*)\n([^]*?)\n\1 End of the output\n/g);
  return [...found].map(([, , call, output]) => ({ call: call!, output: output! }));
}

/** Without what calls printed and the model answered, which stands between fences. */
export function withoutOutputs(summary: string): string {
  return summary.replace(
    /\n(-----+) (?:(?:Turn \d+\. )?Output of|The model's last answer)[^]*?\n\1 End of the (?:output|answer)\n/g,
    '\n',
  );
}
