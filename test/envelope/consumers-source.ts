import { basename } from 'node:path';
import { fieldOwnership } from '../../src/core/envelope/ownership.ts';
import { rewriteCommand } from './document.ts';

/** The entry in the table until a person has said what the source does. */
export const unknownRole = '?';

/** Parts that are handed on whole to a function that says in its types what it takes: there the reads are seen. */
const handedOn = new Set(['identity.model', 'instructions.user']);

/** The text of `src/core/envelope/consumers.ts`. */
export function consumersSource(table: string): string {
  return `/**
 * The sources that read the envelope: purpose, path, and the parts they read. A test finds the parts and writes them
 * anew with \`${rewriteCommand}\`; the purpose is written by hand.
 */
export const consumerTable = \`
${table}\`;
`;
}

/** The order and what each source does as the table has it, the rest as the sources say. A moved source keeps its row. */
export function tableNow(table: string, reads: ReadonlyMap<string, readonly string[]>): string {
  const now = new Map(
    [...reads].map(([path, own]) => [path, partsOf(own)] as const).filter(([, own]) => own.length > 0),
  );
  const known = table
    .trim()
    .split('\n')
    .map((row) => row.split(' | '))
    .map(([role = '', path = '']) => ({ role, path: now.has(path) ? path : movedTo(path, now, table) }));
  const added = [...now.keys()].filter((path) => !known.some((row) => row.path === path)).toSorted();
  const rows = [...known, ...added.map((path) => ({ role: unknownRole, path }))].flatMap(({ role, path }) => {
    const own = path === undefined ? undefined : now.get(path);
    return own === undefined ? [] : [`${role} | ${path} | ${own.join(' ')}\n`];
  });
  return rows.join('');
}

/** Fields and groups of fields, in order. What is read inside of a field reads the field. */
function partsOf(reads: readonly string[]): readonly string[] {
  const parts = reads.flatMap((read) => {
    const field = fieldOwnership.find(({ field }) => read === field || read.startsWith(`${field}.`))?.field;
    if (field !== undefined) return [field];
    return !handedOn.has(read) && fieldOwnership.some(({ field }) => field.startsWith(`${read}.`)) ? [read] : [];
  });
  return [...new Set(parts)].toSorted();
}

function movedTo(path: string, now: ReadonlyMap<string, unknown>, table: string): string | undefined {
  const same = [...now.keys()].filter((other) => basename(other) === basename(path) && !table.includes(` ${other} `));
  return same.length === 1 ? same[0] : undefined;
}
