import { boldStyle, plain, styled } from '../text/style.ts';
import type { Cell } from './cell.ts';
import { commandLineRows } from './command-text.ts';
import { lastOutputRows } from './folded-output.ts';
import { cellOfRows, framedRows, headRows, stateMark } from './frame.ts';

export interface ListedCommand {
  /** Whose it is. */
  readonly name: string;
  readonly argv: readonly string[];
  readonly printed: string;
}

/** Rows of what it printed last. */
const outputRows = 3;

/** A command that runs, in the list of all that do. */
export function listedCommandCell({ name, argv, printed }: ListedCommand): Cell {
  return cellOfRows((look) => {
    const [first = []] = commandLineRows(argv);
    const title = [styled(name, boldStyle), plain(' '), ...first];
    return [
      ...headRows(look, stateMark('plain', look), title),
      ...framedRows(look, lastOutputRows(printed, outputRows, look)),
    ];
  });
}
