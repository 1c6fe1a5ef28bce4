import type { ReadBlock, ReadCommand, ReadNode, ReadRedirection, ReadScript } from '../../protocol/read-script.ts';

/** The pieces of a script that has no control flow, in order. Blanks, comments and empty statements leave no trace. */
export type WrittenPiece = WrittenCommand | WrittenOperator;
export type WrittenOperator = '&&' | '||' | '|' | '|&' | ';' | '&' | '(' | ')' | '{' | '}' | '!';

/** Words and targets as they are written, with their quotes. */
export interface WrittenCommand {
  readonly assignments: readonly string[];
  readonly words: readonly string[];
  readonly redirections: readonly WrittenRedirection[];
}

export interface WrittenRedirection {
  readonly operator: string;
  readonly target: string;
}

/** Undefined: it has control flow, a heredoc, or something else that pieces cannot show. */
export function writtenScript({ body }: ReadScript): readonly WrittenPiece[] | undefined {
  const pieces: WrittenPiece[] = [];
  return writeBlock(body, pieces) ? withoutEmptyStatements(pieces) : undefined;
}

/** One separator between two statements, and none before what closes or joins them. */
export function withoutEmptyStatements(pieces: readonly WrittenPiece[]): readonly WrittenPiece[] {
  const kept: WrittenPiece[] = [];
  for (const piece of pieces) {
    const last = kept.at(-1);
    const isAfterCommand = last !== undefined && (typeof last === 'object' || last === ')' || last === '}');
    if (piece === ';' && !isAfterCommand) continue;
    if ((piece === ')' || piece === '}') && last === ';') kept.pop();
    kept.push(piece);
  }
  if (kept.at(-1) === ';') kept.pop();
  return kept;
}

function writeBlock({ parts }: ReadBlock, pieces: WrittenPiece[]): boolean {
  return parts.every(({ node, end }) => {
    const isWritten = writeNode(node, pieces);
    pieces.push(end);
    return isWritten;
  });
}

function writeNode(node: ReadNode, pieces: WrittenPiece[]): boolean {
  switch (node.kind) {
    case 'command': {
      const command = writtenCommand(node);
      if (command !== undefined) pieces.push(command);
      return command !== undefined;
    }
    case 'joined': {
      if (!writeNode(node.left, pieces)) return false;
      pieces.push(node.operator);
      return writeNode(node.right, pieces);
    }
    case 'negated':
      pieces.push('!');
      return writeNode(node.node, pieces);
    case 'subshell':
    case 'group': {
      pieces.push(node.kind === 'subshell' ? '(' : '{');
      const isWritten = writeBlock(node.body, pieces);
      pieces.push(node.kind === 'subshell' ? ')' : '}');
      return isWritten;
    }
    case 'redirected': {
      if (!writeNode(node.node, pieces)) return false;
      const redirections = writtenRedirections(node.redirections);
      if (redirections !== undefined) pieces.push({ assignments: [], words: [], redirections });
      return redirections !== undefined;
    }
    case 'function':
    case 'dynamic':
      return false;
  }
}

function writtenCommand({ assignments, words, redirections }: ReadCommand): WrittenCommand | undefined {
  const written = writtenRedirections(redirections);
  return (
    written && {
      assignments: assignments.map(({ source }) => source),
      words: words.map(({ source }) => source),
      redirections: written,
    }
  );
}

function writtenRedirections(redirections: readonly ReadRedirection[]): readonly WrittenRedirection[] | undefined {
  if (redirections.some(({ text }) => text !== undefined)) return undefined;
  return redirections.map(({ operator, target }) => ({ operator, target: target?.source ?? '' }));
}
