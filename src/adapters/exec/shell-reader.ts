import type { LoadShellReader, ShellReader } from '../../ports/commands.ts';
import type { Clock } from '../../ports/system.ts';
import type {
  ShellBlock,
  ShellNode,
  ShellOperator,
  ShellRedirection,
  ShellScript,
  ShellSimpleCommand,
  ShellWord,
} from '../../protocol/shell.ts';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Node, ParseState, Parser as TreeParser } from 'web-tree-sitter';

/** No system accepts a longer argument. */
const maximumLength = 128 * 1024;
/** An honest script of that length takes 250 ms at most. Nonsense makes the parser try millions of readings. */
const maximumTime = 400;
type ShellReaderOptions = { readonly root: string; readonly clock: Clock };

export function createShellReaderLoader({ root, clock }: ShellReaderOptions): LoadShellReader {
  let reader: Promise<ShellReader> | undefined;
  return () => (reader ??= loadShellReader({ root, clock }));
}

async function loadShellReader({ root, clock }: ShellReaderOptions): Promise<ShellReader> {
  const { Language, Parser } = await import('web-tree-sitter');
  await Parser.init({ wasmBinary: wasmFile(root, 'web-tree-sitter') });
  const parser = new Parser();
  parser.setLanguage(await Language.load(wasmFile(root, 'tree-sitter-bash')));
  let isBroken = false;
  return {
    read: (script) => {
      if (isBroken || script.length > maximumLength || script.includes('\0')) return undefined;
      try {
        return parsed(parser, script, clock);
      } catch {
        // Its memory is not reliable any more. From now on every script is unknown.
        isBroken = true;
        return undefined;
      }
    },
  };
}

function parsed(parser: TreeParser, script: string, clock: Clock): ShellScript | undefined {
  const end = clock.now() + maximumTime;
  // A script with an error is not used: the parser need not find its least wrong reading.
  const progressCallback = ({ hasError }: ParseState) => hasError || clock.now() > end;
  const tree = parser.parse(script, null, { progressCallback });
  if (tree === null) {
    parser.reset();
    return undefined;
  }
  try {
    if (tree.rootNode.hasError) return undefined;
    const walk = new Walk(script);
    const body = walk.block(tree.rootNode, 0);
    return walk.isOver ? undefined : { body };
  } finally {
    tree.delete();
  }
}

/** The build copies the files (scripts/build.mjs); unbuilt sources find them where npm put them. */
function wasmFile(root: string, name: string): Uint8Array {
  const built = join(root, 'dist/wasm', `${name}.wasm`);
  return readFileSync(existsSync(built) ? built : join(root, 'node_modules', name, `${name}.wasm`));
}

const maximumNodes = 40_000;
const maximumDepth = 200;

const statements = new Set(
  `command list pipeline negated_command redirected_statement subshell compound_statement variable_assignment
  variable_assignments function_definition declaration_command unset_command test_command if_statement for_statement
  c_style_for_statement while_statement case_statement`.split(/\s+/),
);
const operators = new Set<string>(['&&', '||', '|', '|&'] satisfies ShellOperator[]);
const redirections = new Set(['file_redirect', 'herestring_redirect', 'heredoc_redirect']);
const noWords = { kind: 'command', assignments: [], words: [], redirections: [] } as const;

/**
 * Converts a tree of the grammar. The grammar is looser than shells: it takes `\ ` and even a new line for a blank
 * between words, so the gaps between words are checked here.
 */
class Walk {
  /** The script is larger or deeper than any honest one. */
  isOver = false;
  #nodes = 0;
  readonly #script: string;

  constructor(script: string) {
    this.#script = script;
  }

  block(node: Node, depth: number): ShellBlock {
    const parts: { node: ShellNode; end: ';' | '&' }[] = [];
    for (const child of this.#children(node, depth)) {
      const last = parts.at(-1);
      if (child.type === '&' && last !== undefined) last.end = '&';
      else if (child.isNamed && child.type !== 'comment') parts.push({ node: this.node(child, depth + 1), end: ';' });
    }
    return { kind: 'block', parts };
  }

  node(node: Node, depth: number): ShellNode {
    switch (node.type) {
      case 'command':
        return this.#command(node, depth);
      case 'variable_assignment':
        return { ...noWords, assignments: [this.#word(node, depth)] };
      case 'list':
      case 'pipeline':
        return this.#joined(node, depth);
      case 'negated_command': {
        const [only, ...more] = this.#named(node, depth);
        if (only === undefined || more.length > 0) return this.#dynamic(node, depth);
        return { kind: 'negated', node: this.node(only, depth + 1) };
      }
      case 'redirected_statement':
        return this.#redirected(node, depth);
      case 'subshell':
        return { kind: 'subshell', body: this.block(node, depth) };
      case 'compound_statement':
        if (node.firstChild?.type === '((') return this.#arithmetic(node, depth);
        if (node.firstChild?.type !== '{') return this.#dynamic(node, depth);
        return { kind: 'group', body: this.block(node, depth) };
      case 'function_definition': {
        const name = this.#children(node, depth).find((child) => child.type === 'word');
        return { kind: 'function', name: name ? this.#source(name) : '', inside: this.#inside(node, depth) };
      }
      case 'c_style_for_statement':
        return this.#arithmetic(node, depth);
      case 'declaration_command':
      case 'unset_command':
      case 'test_command': {
        // The grammar has special rules for `declare`, `unset`, `[` and `[[`; rules of users match their words.
        const { words } = this.#words(this.#operands(node, depth), depth);
        return { kind: 'dynamic', inside: [{ ...noWords, words }] };
      }
      default:
        return this.#dynamic(node, depth);
    }
  }

  /** Nodes without a gap between them are one word. Odd: a gap is more than blanks. */
  #words(nodes: readonly Node[], depth: number): { readonly words: readonly ShellWord[]; readonly isOdd: boolean } {
    const gaps = this.#gapsBefore(nodes);
    const words: ShellWord[] = [];
    for (const [at, node] of nodes.entries()) addWord(words, this.#word(node, depth), gaps[at]);
    return { words, isOdd: gaps.some(isOddGap) };
  }

  #gapsBefore(nodes: readonly Node[]): readonly string[] {
    return nodes.map(({ startIndex }, at) =>
      at === 0 ? ' ' : this.#script.slice(nodes[at - 1]!.endIndex, startIndex).replaceAll('\\\n', ''),
    );
  }

  /** `((…))` is a command like `let`: the shell evaluates the values of its variables, which may run commands. */
  #arithmetic(node: Node, depth: number): ShellNode {
    const command = { ...noWords, words: [{ source: '((', inside: [] }] };
    return { kind: 'dynamic', inside: [command, ...this.#inside(node, depth)] };
  }

  #operands(node: Node, depth: number): readonly Node[] {
    return this.#children(node, depth).flatMap((child) =>
      child.type.endsWith('_expression') ? this.#operands(child, depth + 1) : [child],
    );
  }

  #joined(node: Node, depth: number): ShellNode {
    let left: ShellNode | undefined;
    let operator: string | undefined;
    for (const child of this.#children(node, depth)) {
      if (child.type === 'comment') continue;
      if (!child.isNamed) {
        if (!operators.has(child.type) || operator !== undefined) return this.#dynamic(node, depth);
        operator = child.type;
      } else if (left === undefined) left = this.node(child, depth + 1);
      else {
        if (operator === undefined) return this.#dynamic(node, depth);
        left = { kind: 'joined', left, operator: operator as ShellOperator, right: this.node(child, depth + 1) };
        operator = undefined;
      }
    }
    return left === undefined || operator !== undefined ? this.#dynamic(node, depth) : left;
  }

  #command(node: Node, depth: number): ShellNode {
    const [assignments, words, found]: [ShellWord[], ShellWord[], ShellRedirection[]] = [[], [], []];
    const children = this.#children(node, depth);
    const gaps = this.#gapsBefore(children);
    let isOdd = gaps.some(isOddGap);
    for (const [at, child] of children.entries()) {
      if (redirections.has(child.type)) {
        const { redirection, more } = this.#redirection(child, depth + 1);
        if (redirection === undefined) isOdd = true;
        else found.push(redirection);
        words.push(...more);
        continue;
      }
      const word = this.#word(child, depth);
      if (child.type === 'variable_assignment' && words.length === 0) assignments.push(word);
      else addWord(words, word, gaps[at]);
      // Syntax that no shell accepts in a word, such as the parentheses of a glob.
      isOdd ||= statements.has(child.type) && child.type !== 'variable_assignment';
    }
    const command: ShellSimpleCommand = { kind: 'command', assignments, words, redirections: found };
    return isOdd ? { kind: 'dynamic', inside: [command] } : command;
  }

  #source({ startIndex, endIndex }: Node): string {
    return this.#script.slice(startIndex, endIndex);
  }

  #redirected(node: Node, depth: number): ShellNode {
    const [body, ...rest] = this.#named(node, depth);
    if (body === undefined) return this.#dynamic(node, depth);
    const isBare = redirections.has(body.type);
    const found: ShellRedirection[] = [];
    const words: ShellWord[] = [];
    const later: ShellNode[] = [];
    let isOdd = false;
    for (const child of isBare ? [body, ...rest] : rest) {
      const { redirection, more, after } = this.#redirection(child, depth + 1);
      if (redirection !== undefined) found.push(redirection);
      isOdd ||= redirection === undefined || after.length > 0;
      words.push(...more);
      later.push(...after);
    }
    const inner = isBare ? noWords : this.node(body, depth + 1);
    const whole = withRedirections(inner, found, words);
    if (whole === undefined || isOdd) return { kind: 'dynamic', inside: [whole ?? inner, ...later] };
    return whole;
  }

  /** `more`: the command's words after the target. `after`: the rest of a heredoc's line. No `redirection`: unclear. */
  #redirection(node: Node, depth: number): ReadRedirection {
    const children = this.#children(node, depth);
    if (node.type === 'heredoc_redirect') return this.#heredoc(children, depth);
    const isOperator = (child: Node) => child.type === 'file_descriptor' || !child.isNamed;
    const operator = children.filter(isOperator).map((child) => this.#source(child));
    const operands = children.filter((child) => !isOperator(child));
    const { words, isOdd } = this.#words(operands, depth);
    if (isOdd || !redirections.has(node.type)) return { redirection: undefined, more: words, after: [] };
    const [target, ...more] = words;
    return { redirection: { operator: operator.join(''), target }, more, after: [] };
  }

  #heredoc(children: readonly Node[], depth: number): ReadRedirection {
    const start = children.find((child) => child.type === 'heredoc_start');
    const body = children.find((child) => child.type === 'heredoc_body');
    const operator = children.find((child) => !child.isNamed)?.type;
    const own = new Set(['heredoc_start', 'heredoc_body', 'heredoc_end', 'file_descriptor']);
    const after = children
      .filter((child) => child.isNamed && !own.has(child.type))
      .flatMap((child) => (statements.has(child.type) ? [this.node(child, depth + 1)] : this.#inside(child, depth)));
    if (start === undefined || operator === undefined) return { redirection: undefined, more: [], after };
    const text = body === undefined ? { source: '', inside: [] } : this.#word(body, depth);
    return { redirection: { operator, target: this.#word(start, depth), text }, more: [], after };
  }

  #word(node: Node, depth: number): ShellWord {
    return { source: this.#source(node), inside: this.#inside(node, depth) };
  }

  #dynamic(node: Node, depth: number): ShellNode {
    return { kind: 'dynamic', inside: this.#inside(node, depth) };
  }

  #inside(node: Node, depth: number): readonly ShellNode[] {
    if (node.childCount === 0) return [];
    return this.#named(node, depth).flatMap((child) => {
      const isStatement = statements.has(child.type) && !(child.type === 'variable_assignment' && isValue(node));
      return isStatement ? [this.node(child, depth + 1)] : this.#inside(child, depth + 1);
    });
  }

  #named(node: Node, depth: number): readonly Node[] {
    return this.#children(node, depth).filter((child) => child.isNamed && child.type !== 'comment');
  }

  #children(node: Node, depth: number): readonly Node[] {
    if (depth > maximumDepth || this.#nodes > maximumNodes) this.isOver = true;
    if (this.isOver) return [];
    const { children } = node;
    this.#nodes += children.length;
    return children;
  }
}

/** An assignment that is no command of its own, as in `export A=$(x)`. Its substitutions are commands. */
const isValue = ({ type }: Node): boolean => type === 'declaration_command' || type === 'variable_assignments';

interface ReadRedirection {
  readonly redirection: ShellRedirection | undefined;
  readonly more: readonly ShellWord[];
  readonly after: readonly ShellNode[];
}

type Redirections = readonly ShellRedirection[];
const isOddGap = (gap: string): boolean => /[^ \t]/.test(gap);

/** Adds a word, or continues the last one if there is no gap between them. */
function addWord(words: ShellWord[], word: ShellWord, gap: string | undefined): void {
  const last = gap === '' ? words.pop() : undefined;
  const joined = last && { source: last.source + word.source, inside: [...last.inside, ...word.inside] };
  words.push(joined ?? word);
}

/** Gives a list's redirections to its last command, to which they belong. Undefined if they belong to no single one. */
function withRedirections(node: ShellNode, found: Redirections, words: readonly ShellWord[]): ShellNode | undefined {
  switch (node.kind) {
    case 'command':
      return { ...node, words: [...node.words, ...words], redirections: [...node.redirections, ...found] };
    case 'joined': {
      const right = withRedirections(node.right, found, words);
      return right && { ...node, right };
    }
    case 'negated': {
      const inner = withRedirections(node.node, found, words);
      return inner && { kind: 'negated', node: inner };
    }
    case 'subshell':
    case 'group':
      return words.length > 0 ? undefined : { kind: 'redirected', node, redirections: found };
    default:
      return undefined;
  }
}
