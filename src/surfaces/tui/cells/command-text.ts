import { shellCall } from '../../../policy/commands/shell-call.ts';
import { shellWords } from '../../../protocol/shell-words.ts';
import { highlightLine } from '../markdown/highlight.ts';
import { grammarOf } from '../markdown/languages.ts';
import { exactText } from '../../terminal/exact-text.ts';
import { cleanLines } from '../text/clean.ts';
import { plain, type Row } from '../text/style.ts';

/** A command as it was written: without the shell that runs it. */
export function commandText(argv: readonly string[]): string {
  const call = shellCall(argv);
  const isPlain = call?.isOrdinary === true && call.parameters.length === 0 && isInstalled(call.program);
  const script = isPlain ? call.script : undefined;
  return (script ?? shellWords(argv)).trim();
}

/** By its name or its whole path: one in the workspace may be any program. */
function isInstalled(program: string): boolean {
  return program.startsWith('/') || !/[\\/]/.test(program);
}

/** Its lines, with colours, and with a sign for every character that hides or looks like another. */
export function commandLineRows(argv: readonly string[]): readonly Row[] {
  const grammar = grammarOf('sh');
  return cleanLines(exactText(commandText(argv), 'words')).map((line) =>
    grammar === undefined ? [plain(line)] : highlightLine(line, grammar).row,
  );
}
