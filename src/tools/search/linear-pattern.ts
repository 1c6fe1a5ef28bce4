import { isWord, parsePattern, type Pattern, type PatternProblem } from './parse-pattern.ts';

/** Whether a line has a match. The time it takes grows with the line alone, whatever the pattern is. */
export type LineMatcher = (line: string) => boolean;

/** A larger program would make every line slow. */
const mostSteps = 1000;

type Step =
  | { readonly kind: 'character'; readonly matches: (code: number) => boolean }
  | { readonly kind: 'place'; readonly at: Extract<Pattern, { kind: 'place' }>['at'] }
  /** Both ways are open from here. */
  | { readonly kind: 'fork'; to: number; or: number }
  | { readonly kind: 'jump'; to: number }
  | { readonly kind: 'match' };

/** All threads of the pattern are followed at once, so that none is ever taken back. */
export function linearPattern(
  text: string,
  { ignoresCase }: { readonly ignoresCase: boolean },
): LineMatcher | PatternProblem {
  const pattern = parsePattern(ignoresCase ? lowered(text) : text);
  if ('problem' in pattern) return pattern;
  const steps: Step[] = [];
  if (!emit(steps, pattern)) return { problem: `is too large: it has more than ${mostSteps} steps` };
  steps.push({ kind: 'match' });
  return (line) => matches(steps, ignoresCase ? line.toLowerCase() : line);
}

/** Letters behind a backslash mean something else in upper case. */
function lowered(text: string): string {
  return text.replaceAll(/\\.|[^\\]+/gs, (part) => (part.startsWith('\\') ? part : part.toLowerCase()));
}

function emit(steps: Step[], pattern: Pattern): boolean {
  if (steps.length > mostSteps) return false;
  switch (pattern.kind) {
    case 'character':
    case 'place':
      steps.push(pattern);
      return true;
    case 'sequence':
      return pattern.parts.every((part) => emit(steps, part));
    case 'choice':
      return emitChoice(steps, pattern.parts);
    case 'repeat':
      return emitRepeat(steps, pattern);
  }
}

function emitChoice(steps: Step[], [first, ...others]: readonly Pattern[]): boolean {
  if (first === undefined) return true;
  if (others.length === 0) return emit(steps, first);
  const fork: Extract<Step, { kind: 'fork' }> = { kind: 'fork', to: steps.length + 1, or: 0 };
  steps.push(fork);
  if (!emit(steps, first)) return false;
  const jump: Extract<Step, { kind: 'jump' }> = { kind: 'jump', to: 0 };
  steps.push(jump);
  fork.or = steps.length;
  const isWhole = emitChoice(steps, others);
  jump.to = steps.length;
  return isWhole;
}

function emitRepeat(steps: Step[], { part, least, most }: Extract<Pattern, { kind: 'repeat' }>): boolean {
  for (let i = 0; i < least; i++) {
    const before = steps.length;
    if (!emit(steps, part)) return false;
    // Nothing, however often, is nothing: writing it out would take time and leave no steps to count.
    if (steps.length === before) return true;
  }
  if (most === Infinity) {
    const start = steps.length;
    const fork: Extract<Step, { kind: 'fork' }> = { kind: 'fork', to: start + 1, or: 0 };
    steps.push(fork);
    if (!emit(steps, part)) return false;
    steps.push({ kind: 'jump', to: start });
    fork.or = steps.length;
    return true;
  }
  const forks: Extract<Step, { kind: 'fork' }>[] = [];
  for (let i = least; i < most; i++) {
    const fork: Extract<Step, { kind: 'fork' }> = { kind: 'fork', to: steps.length + 1, or: 0 };
    steps.push(fork);
    forks.push(fork);
    if (!emit(steps, part)) return false;
  }
  for (const fork of forks) fork.or = steps.length;
  return steps.length <= mostSteps;
}

function matches(steps: readonly Step[], line: string): boolean {
  const seen = new Uint32Array(steps.length);
  let mark = 0;
  let current: number[] = [];
  let before = -1;
  for (let at = 0; ;) {
    const code = at < line.length ? line.codePointAt(at)! : -1;
    mark++;
    const next: number[] = [];
    // A match may begin at every place.
    const open = [...current, 0];
    current = [];
    for (const step of closure(steps, open, { seen, mark, before, code })) {
      const { kind } = steps[step]!;
      if (kind === 'match') return true;
      next.push(step);
    }
    if (code === -1) return false;
    for (const step of next) {
      const character = steps[step] as Extract<Step, { kind: 'character' }>;
      if (character.matches(code)) current.push(step + 1);
    }
    before = code;
    at += code > 0xffff ? 2 : 1;
  }
}

interface Place {
  readonly seen: Uint32Array;
  /** Steps that are marked so were followed at this place. */
  readonly mark: number;
  /** -1: there is none. */
  readonly before: number;
  readonly code: number;
}

/** Steps that wait for a character, or the match, as they are reached without one. */
function closure(steps: readonly Step[], open: number[], { seen, mark, before, code }: Place): readonly number[] {
  const reached: number[] = [];
  for (let step = open.pop(); step !== undefined; step = open.pop()) {
    if (seen[step] === mark) continue;
    seen[step] = mark;
    const found = steps[step]!;
    if (found.kind === 'jump') open.push(found.to);
    else if (found.kind === 'fork') open.push(found.to, found.or);
    else if (found.kind === 'place') {
      if (isAt(found.at, before, code)) open.push(step + 1);
    } else reached.push(step);
  }
  return reached;
}

function isAt(at: Extract<Pattern, { kind: 'place' }>['at'], before: number, code: number): boolean {
  if (at === 'start') return before === -1;
  if (at === 'end') return code === -1;
  return (isWord(before) !== isWord(code)) === (at === 'boundary');
}
