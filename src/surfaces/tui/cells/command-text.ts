import { shellCall } from '../../../policy/commands/shell-call.ts';
import { shellWords } from '../../../protocol/shell-words.ts';
import { highlightLine } from '../markdown/highlight.ts';
import { grammarOf } from '../markdown/languages.ts';
import { cleanLines } from '../text/clean.ts';
import { plain, type Row } from '../text/style.ts';

/** A command as it was written: without the shell that runs it. */
export function commandText(argv: readonly string[]): string {
  const call = shellCall(argv);
  const script = call?.isOrdinary === true && call.parameters.length === 0 ? call.script : undefined;
  return (script ?? shellWords(argv)).trim();
}

/** Its lines, with colours. */
export function commandLineRows(argv: readonly string[]): readonly Row[] {
  const grammar = grammarOf('sh');
  return cleanLines(commandText(argv)).map((line) =>
    grammar === undefined ? [plain(line)] : highlightLine(line, grammar).row,
  );
}
