import { RulesFault } from './rules-fault.ts';
import type { CallArguments, Value } from './values.ts';

/** A parameter of a function. Undefined as `fallback`: it may be left out and has no value then. */
export interface BoundParameter {
  readonly name: string;
  readonly fallback?: Value | undefined;
}

/** The values of a function's parameters in a call. */
export function bindArguments(
  callee: string,
  parameters: readonly BoundParameter[],
  { positional, named }: CallArguments,
): Map<string, Value> {
  if (positional.length > parameters.length) {
    throw new RulesFault(
      `\`${callee}\` takes ${parameters.length} values, not ${positional.length}.`,
      'Remove the others.',
    );
  }
  const values = new Map<string, Value>();
  for (const [at, value] of positional.entries()) values.set(parameters[at]?.name ?? '', value);
  for (const [name, value] of named) {
    if (values.has(name)) throw new RulesFault(`\`${name}\` is given twice.`, 'Remove one.');
    if (!parameters.some((parameter) => parameter.name === name)) {
      const known = parameters.map((parameter) => parameter.name).join(', ');
      throw new RulesFault(`\`${callee}\` takes no \`${name}\`.`, `It takes: ${known}.`);
    }
    values.set(name, value);
  }
  for (const { name, ...parameter } of parameters) {
    if (values.has(name)) continue;
    if (!('fallback' in parameter)) throw new RulesFault(`\`${callee}\` needs \`${name}\`.`, 'Add it.');
    if (parameter.fallback !== undefined) values.set(name, parameter.fallback);
  }
  return values;
}
