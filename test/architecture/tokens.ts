export interface Token {
  /** `string` is a quoted string, its text without the quotes; `literal` is a number, a regular expression or a template part. */
  readonly kind: 'word' | 'string' | 'literal' | 'mark';
  readonly text: string;
  readonly line: number;
}

const blank = /\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/|^#![^\n]*/y;
const word = /[\p{ID_Start}$_#@][\p{ID_Continue}$]*/uy;
const number = /\d[\w.]*/y;
const quoted = /'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"/y;
const regularExpression = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const templateText = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*/y;
const mark = /=>|\?\.|\.\.\.|[\s\S]/y;

/** Words after which a slash begins a regular expression, not a division. */
const operatorWords = new Set([
  'return',
  'typeof',
  'case',
  'in',
  'of',
  'do',
  'else',
  'void',
  'delete',
  'throw',
  'new',
  'await',
  'yield',
]);

/**
 * Cuts a TypeScript source into tokens, without comments. It knows just enough of the language to never
 * take the inside of a string, a comment or a regular expression for code.
 */
export function tokenize(source: string): readonly Token[] {
  const tokens: Token[] = [];
  /** For each open template, the depth of braces at which its `${` stands. */
  const templates: number[] = [];
  let depth = 0;
  let at = 0;
  let line = 1;

  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const text = pattern.exec(source)?.[0];
    if (text !== undefined) at += text.length;
    return text;
  };
  const add = (kind: Token['kind'], text: string, whole: string): void => {
    tokens.push({ kind, text, line });
    line += whole.split('\n').length - 1;
  };
  const addTemplateText = (): void => {
    const text = take(templateText) ?? '';
    add('literal', text, text);
    if (source.startsWith('${', at)) {
      at += 2;
      templates.push(depth);
    } else {
      at += 1;
    }
  };

  while (at < source.length) {
    const space = take(blank);
    if (space !== undefined) {
      line += space.split('\n').length - 1;
      continue;
    }
    if (source[at] === '}' && templates.at(-1) === depth) {
      templates.pop();
      at += 1;
      addTemplateText();
      continue;
    }
    if (source[at] === '`') {
      at += 1;
      addTemplateText();
      continue;
    }
    let text = take(word);
    if (text !== undefined) {
      add('word', text, text);
      continue;
    }
    text = take(quoted);
    if (text !== undefined) {
      add('string', text.slice(1, -1), text);
      continue;
    }
    text = take(number) ?? (beginsExpression(tokens.at(-1)) ? take(regularExpression) : undefined);
    if (text !== undefined) {
      add('literal', text, text);
      continue;
    }
    text = take(mark) ?? '';
    if (text === '{') depth += 1;
    if (text === '}') depth -= 1;
    add('mark', text, text);
  }
  return tokens;
}

function beginsExpression(before: Token | undefined): boolean {
  if (before === undefined) return true;
  if (before.kind === 'word') return operatorWords.has(before.text);
  return before.kind === 'mark' && ![')', ']', '}'].includes(before.text);
}
