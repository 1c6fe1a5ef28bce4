import { isJsonObject, type Json, numberAt, objectAt, stringAt } from '../../protocol/json.ts';

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
  /^(?:Chunk ID|Wall time|Process exited|Process killed|Process running|Exit code|Original token count|Total output lines|Network requests blocked|Allowed by the policy|This machine has too many servers)\b/;
const mostFacts = 8;
/** What a model reads before an output that was cut. People see the mark where it was cut, which counts otherwise. */
const warning = /^Warning: truncated output \(original token count: \d{1,15}\)\nTotal output lines: \d{1,15}\n\n/;

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

/** Facts stand before a line `Output:`, one per line and nothing else between them. */
function splitAnswer(answer: string): { readonly facts: readonly string[]; readonly output: string } {
  const facts: string[] = [];
  let at = 0;
  while (facts.length <= mostFacts) {
    const end = answer.indexOf('\n', at);
    const line = answer.slice(at, end < 0 ? undefined : end);
    if (line === 'Output:') return { facts, output: end < 0 ? '' : answer.slice(end + 1).replace(warning, '') };
    if (end < 0 || !fact.test(line)) break;
    facts.push(line);
    at = end + 1;
  }
  return { facts: [], output: answer };
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
