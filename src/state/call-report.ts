import { isJsonObject, type Json, numberAt, objectAt, stringAt } from '../protocol/json.ts';

/** What the recorded answer to a call says, facts and output apart. */
export interface CallReport {
  /** How it ended: `exit 0`, `timed out`, `refused`. Undefined when the answer does not say. */
  readonly end: string | undefined;
  readonly isFailure: boolean;
  readonly seconds: number | undefined;
  /** Without the facts before it. What the model reads before the facts stays, as its first lines. */
  readonly output: string;
}

/** Reads the forms that Capstan and Codex write. An answer in another form is all output. */
export function readCallReport(answer: string): CallReport {
  const written = parsedAnswer(answer);
  if (written !== undefined) return written;
  const { facts, output } = splitReport(answer);
  const seconds = factNumber(facts, /^Wall time: ([\d.]{1,20}) seconds$/);
  const exitCode = factNumber(facts, /^(?:Process exited with code|Exit code:) (-?\d{1,10})$/);
  if (exitCode !== undefined) return exited(exitCode, seconds, output);
  const [, found] = endings.find(([start]) => [...facts, output].some((text) => text.startsWith(start))) ?? [];
  const end = found ?? (/^aborted(?: by .*)?$/.test(output) ? 'interrupted' : undefined);
  return { end, isFailure: end !== undefined && end !== 'still running', seconds, output };
}

const endings = [
  ['Process killed after its time limit', 'timed out'],
  ['Process killed', 'interrupted'],
  ['Process running', 'still running'],
  ['Outcome unknown', 'outcome unknown'],
  ['Not run: ', 'refused'],
  ['There is no tool named ', 'refused'],
  ['The arguments were not accepted', 'refused'],
  ['The tool failed: ', 'failed'],
  ['patch rejected', 'refused'],
  ['apply_patch verification failed', 'failed'],
  ['edit_file failed', 'failed'],
] as const;

function exited(exitCode: number, seconds: number | undefined, output: string): CallReport {
  return { end: `exit ${exitCode}`, isFailure: exitCode !== 0, seconds, output };
}

const fact =
  /^(?:Chunk ID|Wall time|Process exited|Process killed|Process running|Exit code|Original token count|Total output lines|Session \d+ was ended|Network requests blocked|Allowed by the policy|This machine has too many servers)\b/;
const mostFacts = 8;
/** What a model reads before an output that was cut. People see the mark where it was cut, which counts otherwise. */
const warning =
  /^Warning: truncated output \(original token count: \d{1,15}\)\nTotal output lines: (\d{1,15})\n(?:Full output: [^\n]{1,4096}\n)?\n/;

/** Sentences of Capstan that may stand before the facts. No output of a command comes before its facts. */
const note =
  /^(?:The sandbox stopped this command, |The command waited to connect to |The user allowed it\. |Outside the sandbox too, )/;
/** The end of such sentences: they may have words of the user in several lines. */
const firstFact = /\n(?=(?:Wall time: [\d.]{1,20} seconds|Exit code: -?\d{1,10})\n)/;

function splitReport(answer: string): ReturnType<typeof splitAnswer> {
  const end = note.test(answer) ? answer.search(firstFact) : -1;
  if (end < 0) return splitAnswer(answer);
  const { facts, output } = splitAnswer(answer.slice(end + 1));
  return { facts, output: `${answer.slice(0, end)}\n${output}` };
}

/**
 * The output of a command in an answer of Capstan, without any words for the model around it, and how many lines it had
 * before it was cut. An answer without facts is all output.
 */
export function readPrinted(answer: string): { readonly output: string; readonly lines?: number } {
  const start = answer.search(factsStart);
  const from = outputFrom(answer, start < 0 ? 0 : start);
  if (from === undefined) return { output: answer };
  const rest = answer.slice(from).replace(aboutArguments, '');
  const [head, lines] = warning.exec(rest) ?? [];
  return head === undefined ? { output: rest } : { output: rest.slice(head.length), lines: Number(lines) };
}

/** Sentences of Capstan, of the user or of a hook may stand before them. */
const factsStart =
  /^(?:Chunk ID: [^\n]{1,80}\nWall time: |Wall time: |Exit code: -?\d{1,10}\nWall time: )[\d.]{1,20} seconds$/m;
/** A sentence behind the output: the call had arguments that its tool does not have. */
const aboutArguments = /(?:^|\n)Ignored, because this tool has no such argument: [^\n]{1,400}$/;

/** Facts stand before a line `Output:`, one per line and nothing else between them. */
function splitAnswer(answer: string): { readonly facts: readonly string[]; readonly output: string } {
  const from = outputFrom(answer, 0);
  if (from === undefined) return { facts: [], output: answer };
  return { facts: answer.slice(0, from).split('\n'), output: answer.slice(from).replace(warning, '') };
}

/** Where the output begins behind the facts that begin here. Undefined: there are none. */
function outputFrom(answer: string, start: number): number | undefined {
  let at = start;
  for (let facts = 0; facts <= mostFacts; facts += 1) {
    const end = answer.indexOf('\n', at);
    const line = answer.slice(at, end < 0 ? undefined : end);
    if (line === 'Output:') return end < 0 ? answer.length : end + 1;
    if (end < 0 || !fact.test(line)) return undefined;
    at = end + 1;
  }
  return undefined;
}

function factNumber(facts: readonly string[], pattern: RegExp): number | undefined {
  const found = facts.map((line) => pattern.exec(line)?.[1]).find((text) => text !== undefined);
  return found === undefined ? undefined : Number(found);
}

/** Older programs wrote the answer of a command as JSON. */
function parsedAnswer(answer: string): CallReport | undefined {
  if (!answer.startsWith('{"output":')) return undefined;
  try {
    const value = JSON.parse(answer) as Json;
    const metadata = isJsonObject(value) ? objectAt(value, 'metadata') : undefined;
    const exitCode = metadata && numberAt(metadata, 'exit_code');
    if (!isJsonObject(value) || exitCode === undefined) return undefined;
    return exited(exitCode, numberAt(metadata!, 'duration_seconds'), stringAt(value, 'output') ?? '');
  } catch {
    return undefined;
  }
}
