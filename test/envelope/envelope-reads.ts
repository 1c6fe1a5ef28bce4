import { parseAst } from 'rolldown/parseAst';

/** A node of the syntax tree, as far as it is looked at here. */
interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** The meaning of each name: a path into the envelope, or nothing of interest. */
type Scope = Map<string, string | undefined>;

/** Functions that give a part of the envelope, or that part as the state has it by now. */
const makers: Readonly<Record<string, string>> = {
  lookUpModel: 'identity.model',
  contextWindowNow: 'window',
  instructionsNow: 'instructions.base',
};

const fieldName = /^(?:identity|workspace|instructions|policy|capabilities|modes|telemetry|window)(?:\.\w+)*$/;

/** Types that are a part of the envelope, and which part. */
const partOf: Readonly<Record<string, string>> = {
  Envelope: '',
  TurnIdentity: 'identity',
  ModelRecord: 'identity.model',
  TurnWorkspace: 'workspace',
  TurnInstructions: 'instructions',
  BaseInstructions: 'instructions.base',
  InstructionRules: 'instructions.user',
  Policy: 'policy',
  TurnCapabilities: 'capabilities',
  Modes: 'modes',
  Collaboration: 'modes.collaboration',
  Telemetry: 'telemetry',
  ContextWindow: 'window',
  Step: 'step',
};

/** A step holds the envelope, and its window as the state has it by now. Its other members are no parts of the envelope. */
const stepParts: Readonly<Record<string, string>> = { envelope: '', window: 'window' };

/**
 * The fields of the envelope that a source reads, by dotted name. It follows what is called `envelope`, parameters and
 * variables whose type is a part of the envelope, and what is taken out of those by name. A part that is handed on
 * whole is given with its own name; so is one that is named in a list of texts.
 */
export function envelopeReads(path: string, source: string): readonly string[] {
  const program = parseAst(source, { lang: 'ts' }) as unknown as { readonly body: readonly Node[] };
  const types = new Set(program.body.flatMap((node) => typesOf(node, path)));
  const reads = new Set<string>();
  const walker = { types, reads };
  const scope: Scope = new Map();
  for (const node of program.body) visit(node, [scope], walker);
  return [...reads].filter((field) => field.includes('.') || field === 'window').toSorted();
}

interface Walker {
  /** Names of types that mean a part of the envelope in this source. */
  readonly types: ReadonlySet<string>;
  readonly reads: Set<string>;
}

function typesOf(node: Node, path: string): readonly string[] {
  if (node.type === 'ImportDeclaration') {
    const from = (node['source'] as { value: string }).value;
    const isOurs = /(?:^|\/)envelope\//.test(from) || (path.startsWith('src/core/envelope/') && from.startsWith('./'));
    if (!isOurs) return [];
    return (node['specifiers'] as Node[]).map(({ local }) => (local as { name: string }).name);
  }
  const declared = node.type === 'ExportNamedDeclaration' ? (node['declaration'] as Node | null) : node;
  const isType = declared?.type === 'TSInterfaceDeclaration' || declared?.type === 'TSTypeAliasDeclaration';
  return isType && path.startsWith('src/core/envelope/') ? [(declared['id'] as { name: string }).name] : [];
}

function visit(value: unknown, scopes: readonly Scope[], walker: Walker): void {
  if (Array.isArray(value)) {
    for (const member of value) visit(member, scopes, walker);
    return;
  }
  if (!isNode(value) || value.type.startsWith('TSInterface') || value.type === 'ImportDeclaration') return;
  switch (value.type) {
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression': {
      const inner = [...scopes, new Map() as Scope];
      for (const parameter of value['params'] as Node[]) bind(parameter, undefined, undefined, inner, walker);
      visit(value['body'], inner, walker);
      return;
    }
    case 'BlockStatement':
      visit(value['body'], [...scopes, new Map()], walker);
      return;
    case 'CallExpression':
      visit([value['callee'], value['arguments']], scopes, walker);
      return;
    case 'VariableDeclarator': {
      const init = value['init'] as Node | null;
      const taken = init === null ? undefined : pathOf(init, scopes, walker);
      if (taken === undefined || init?.type === 'CallExpression') visit(init, scopes, walker);
      bind(value['id'] as Node, taken, undefined, scopes, walker);
      return;
    }
    case 'MemberExpression':
    case 'Identifier': {
      const read = pathOf(value, scopes, walker);
      if (read !== undefined) walker.reads.add(read);
      else if (value.type === 'MemberExpression') {
        visit(value['object'], scopes, walker);
        if (value['computed'] === true) visit(value['property'], scopes, walker);
      }
      return;
    }
    case 'ArrayExpression':
      for (const field of fieldNames(value['elements'] as readonly (Node | null)[])) walker.reads.add(field);
      visit(value['elements'], scopes, walker);
      return;
    case 'Property':
      if (value['computed'] === true) visit(value['key'], scopes, walker);
      visit(value['value'], scopes, walker);
      return;
    default:
      for (const [key, member] of Object.entries(value)) {
        if (key !== 'typeAnnotation' && key !== 'typeArguments' && key !== 'returnType') visit(member, scopes, walker);
      }
  }
}

/** The elements, if the array is a list of fields. */
function fieldNames(elements: readonly (Node | null)[]): readonly string[] {
  const texts = elements.map((element) => (element?.type === 'Literal' ? String(element['value']) : ''));
  return texts.length > 1 && texts.every((text) => fieldName.test(text)) ? texts : [];
}

/** Gives names to what a pattern takes apart. `type` is the annotation that an outer pattern had for it. */
function bind(
  pattern: Node,
  taken: string | undefined,
  type: Node | undefined,
  scopes: readonly Scope[],
  walker: Walker,
): void {
  const annotated = type ?? (pattern['typeAnnotation'] as { typeAnnotation?: Node } | null)?.typeAnnotation;
  const path = taken ?? (annotated === undefined ? undefined : typePath(annotated, walker));
  switch (pattern.type) {
    case 'Identifier': {
      const name = pattern['name'] as string;
      scopes.at(-1)!.set(name, path ?? (name === 'envelope' ? '' : undefined));
      return;
    }
    case 'AssignmentPattern':
      bind(pattern['left'] as Node, path, annotated, scopes, walker);
      visit(pattern['right'], scopes, walker);
      return;
    case 'TSParameterProperty':
      bind(pattern['parameter'] as Node, path, annotated, scopes, walker);
      return;
    case 'RestElement':
      bind(pattern['argument'] as Node, path, annotated, scopes, walker);
      return;
    case 'ObjectPattern':
      for (const property of pattern['properties'] as Node[]) {
        if (property.type === 'RestElement') {
          bind(property['argument'] as Node, path, undefined, scopes, walker);
          continue;
        }
        const key = nameOf(property['key'] as Node);
        const inner = path === undefined ? (key === 'envelope' ? '' : undefined) : join(path, key);
        bind(property['value'] as Node, inner, memberType(annotated, key), scopes, walker);
      }
  }
}

/** The path that an expression leads to. */
function pathOf(node: Node, scopes: readonly Scope[], walker: Walker): string | undefined {
  switch (node.type) {
    case 'Identifier': {
      const name = node['name'] as string;
      const scope = scopes.findLast((each) => each.has(name));
      return scope === undefined ? undefined : scope.get(name);
    }
    case 'MemberExpression': {
      if (node['computed'] === true) return undefined;
      const name = nameOf(node['property'] as Node);
      const object = pathOf(node['object'] as Node, scopes, walker);
      // A method of a list or a text reads the list or the text.
      if (object !== undefined) return methods.has(name) ? object : join(object, name);
      return name === 'envelope' ? '' : undefined;
    }
    case 'CallExpression': {
      const name = nameOf(node['callee'] as Node);
      return Object.hasOwn(makers, name) ? makers[name] : undefined;
    }
    case 'TSAsExpression':
      return typePath(node['typeAnnotation'] as Node, walker) ?? pathOf(node['expression'] as Node, scopes, walker);
    case 'ChainExpression':
    case 'TSNonNullExpression':
      return pathOf(node['expression'] as Node, scopes, walker);
    default:
      return undefined;
  }
}

const methods = new Set(['includes', 'length', 'map', 'flatMap', 'filter', 'some', 'replaceAll', 'join']);

function typePath(type: Node, walker: Walker): string | undefined {
  if (type.type === 'TSTypeReference') {
    const name = nameOf(type['typeName'] as Node);
    const [first] = ((type['typeArguments'] as { params?: Node[] } | null)?.params ?? []) as Node[];
    if (name === 'Pick' || name === 'Omit' || name === 'Readonly')
      return first === undefined ? undefined : typePath(first, walker);
    return walker.types.has(name) ? partOf[name] : undefined;
  }
  if (type.type === 'TSIndexedAccessType') {
    const object = typePath(type['objectType'] as Node, walker);
    const literal = (type['indexType'] as { literal?: { value?: unknown } }).literal?.value;
    return object === undefined || typeof literal !== 'string' ? undefined : join(object, literal);
  }
  return undefined;
}

function memberType(type: Node | undefined, key: string): Node | undefined {
  if (type?.type !== 'TSTypeLiteral') return undefined;
  const member = (type['members'] as Node[]).find((each) => nameOf(each['key'] as Node) === key);
  return (member?.['typeAnnotation'] as { typeAnnotation?: Node } | undefined)?.typeAnnotation;
}

function nameOf(node: Node | undefined): string {
  return node?.type === 'Identifier' ? (node['name'] as string) : String(node?.['value'] ?? '');
}

function join(path: string, key: string): string | undefined {
  if (path === 'step') return stepParts[key];
  return path === '' ? key : `${path}.${key}`;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
