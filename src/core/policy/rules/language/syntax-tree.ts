type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'not in';
/** Both sides are evaluated. */
export type EagerOperator = '+' | '-' | '*' | '//' | '%' | Comparison;
export type BinaryOperator = EagerOperator | 'and' | 'or';

export type Expression = { readonly line: number } & (
  | { readonly kind: 'constant'; readonly value: string | number | boolean | null }
  | { readonly kind: 'format'; readonly pieces: readonly FormattedPiece[] }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'list' | 'tuple'; readonly items: readonly Expression[] }
  | { readonly kind: 'dict'; readonly entries: readonly DictEntry[] }
  | ({ readonly kind: 'list-of'; readonly item: Expression } & Clauses)
  | ({ readonly kind: 'dict-of'; readonly entry: DictEntry } & Clauses)
  | { readonly kind: 'unary'; readonly operator: '-' | '+' | 'not'; readonly operand: Expression }
  | {
      readonly kind: 'binary';
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly kind: 'choice';
      readonly condition: Expression;
      readonly chosen: Expression;
      readonly otherwise: Expression;
    }
  | {
      readonly kind: 'call';
      readonly callee: Expression;
      readonly positional: readonly Expression[];
      readonly named: readonly (readonly [name: string, value: Expression])[];
    }
  | { readonly kind: 'index'; readonly of: Expression; readonly index: Expression }
  /** `bounds`: first, last and step. */
  | { readonly kind: 'slice'; readonly of: Expression; readonly bounds: readonly (Expression | undefined)[] }
  | { readonly kind: 'lambda'; readonly definition: FunctionDefinition }
);

type FormattedPiece = string | { readonly value: Expression; readonly as: 'str' | 'repr' };
export type DictEntry = readonly [key: Expression, value: Expression];
/** `for … in … if …` of a comprehension, starting with a `for`. */
export type Clauses = { readonly clauses: readonly Clause[]; readonly names: ReadonlySet<string> };

export type Clause =
  | { readonly kind: 'for'; readonly target: Expression; readonly iterable: Expression }
  | { readonly kind: 'if'; readonly condition: Expression };

/** `fallback`: default value. */
export type Parameter = { readonly name: string; readonly fallback?: Expression };

export interface FunctionDefinition {
  readonly name: string;
  readonly parameters: readonly Parameter[];
  readonly names: ReadonlySet<string>;
  readonly body: Block;
}

export type Block = readonly Statement[];

export type Statement = { readonly line: number } & (
  | { readonly kind: 'expression'; readonly value: Expression }
  | ({ readonly kind: 'assign' } & Assignment)
  | ({ readonly kind: 'change'; readonly operator: EagerOperator } & Assignment)
  | { readonly kind: 'if'; readonly branches: readonly ConditionalBranch[]; readonly otherwise: Block }
  | { readonly kind: 'for'; readonly target: Expression; readonly iterable: Expression; readonly body: Block }
  | { readonly kind: 'def'; readonly definition: FunctionDefinition }
  | { readonly kind: 'return'; readonly value: Expression | undefined }
  | { readonly kind: 'break' | 'continue' | 'pass' }
);

type Assignment = Readonly<Record<'target' | 'value', Expression>>;
/** `if` or `elif`. */
export type ConditionalBranch = readonly [condition: Expression, body: Block];
export type RulesProgram = { readonly body: Block; readonly names: ReadonlySet<string> };
