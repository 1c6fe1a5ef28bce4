import { parseAst } from 'rolldown/parseAst';

/**
 * Code in which functions are compiled with their file instead of when they are first called. Node keeps what was
 * compiled with a file for the next start (its compile cache), and forgets what was compiled later. V8 compiles at once
 * what stands in parentheses, so functions are put into them; those that are declared at the top become variables, which
 * stand before everything else as declarations do. Methods and async arrow functions cannot be told so.
 *
 * Only for a file that imports no other: one that is imported by it must not find the variables empty.
 */
export function eagerFunctions(code) {
  const { declared, expressions } = functionsIn(parseAst(code));
  const marks = expressions
    .flatMap(({ start, end }) => [
      { at: start, text: '(' },
      { at: end, text: ')' },
    ])
    .toSorted((one, other) => one.at - other.at);
  const marked = (from, to) => {
    const inside = marks.filter(({ at }) => at >= from && (at < to || to === code.length));
    const pieces = inside.map(({ at, text }, index) => code.slice(inside[index - 1]?.at ?? from, at) + text);
    return pieces.join('') + code.slice(inside.at(-1)?.at ?? from, to);
  };
  const variables = declared.map((node) => {
    const kind = `${node.async ? 'async ' : ''}function${node.generator ? '*' : ''}`;
    return `${node.id.name}=(${kind}${marked(node.id.end, node.end)})`;
  });
  const rest = [...declared, { start: code.length }].map(({ start }, index) =>
    marked(declared[index - 1]?.end ?? 0, start),
  );
  const head = variables.length === 0 ? [] : [`var ${variables.join(',')}`];
  return [...head, ...rest.filter((piece) => piece !== '')].join(';');
}

function functionsIn(program) {
  const declared = program.body.filter(({ type }) => type === 'FunctionDeclaration');
  const expressions = [];
  const look = (node, isMethod) => {
    if (Array.isArray(node)) for (const part of node) look(part, false);
    else if (node !== null && typeof node === 'object') {
      const isArrow = node.type === 'ArrowFunctionExpression' && !node.async;
      if (isArrow || (node.type === 'FunctionExpression' && !isMethod)) expressions.push(node);
      const hasMethod = node.type === 'MethodDefinition' || node.method || node.kind === 'get' || node.kind === 'set';
      for (const [name, part] of Object.entries(node)) look(part, hasMethod && name === 'value');
    }
  };
  look(program, false);
  return { declared, expressions };
}
