import { posix } from 'node:path';
import { importsOf } from './imports.ts';
import { tokenize } from './tokens.ts';

/** Rooms that read what shapes a turn from its envelope alone. */
const consumers = [
  'engine/thread',
  'adapters/tools',
  'adapters/sandbox',
  'core/world',
  'core/fragments',
  'core/state',
  'core/history',
];

/** The places where a consumer reads configuration, environment or clock past the envelope: a file and a line each. */
export function turnInputs(sources: ReadonlyMap<string, string>): readonly string[] {
  return [...sources]
    .filter(([path]) => consumers.includes(roomOf(path)) && !path.endsWith('.test.ts'))
    .flatMap(([path, source]) => [
      ...importsOf(source).flatMap(({ line, specifier = '' }) => {
        const room = specifier.startsWith('.') ? roomOf(posix.join(posix.dirname(path), specifier)) : undefined;
        return room === 'core/config' || room === 'adapters/gather' ? [`${path}:${line} imports ${specifier}`] : [];
      }),
      ...directReads(source).map((told) => `${path}:${told}`),
    ]);
}

/** `core/config` for `src/core/config/keys/a.ts`. */
function roomOf(path: string): string {
  return path.split('/').slice(1, 3).join('/');
}

function directReads(source: string): readonly string[] {
  const tokens = tokenize(source);
  const text = (at: number): string => tokens[at]?.text ?? '';
  return tokens.flatMap(({ line, kind }, at) => {
    if (kind !== 'word' || text(at - 1) === '.') return [];
    const member = `${text(at)}${text(at + 1)}${text(at + 2)}`;
    if (['process.env', 'process.cwd', 'Date.now', 'performance.now'].includes(member))
      return [`${line} reads ${member}`];
    const isNow = text(at) === 'Date' && text(at - 1) === 'new' && (text(at + 1) !== '(' || text(at + 2) === ')');
    return isNow ? [`${line} reads new Date()`] : [];
  });
}
