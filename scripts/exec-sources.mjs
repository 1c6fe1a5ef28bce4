import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

const entry = 'src/surfaces/exec/run-exec.ts';

/** The sources that `exec` needs, whenever. */
export function reachableSources() {
  return [...reachable(entry).keys()];
}

/**
 * The ids of the modules that `exec` needs, those of Node's own among them. `first`: what runs before the first request.
 * `later`: what may be loaded while the model thinks, or when it is first called. `late`: paths of those that no first
 * request needs.
 */
export function execSources(late) {
  const imports = reachable(entry);
  const later = callable(late, imports);
  const first = [...imports.keys()].filter((path) => !later.has(path));
  const own = (paths) => paths.flatMap((path) => imports.get(path).flatMap(({ from }) => builtinId(from)));
  const early = new Set([...first, ...own(first)]);
  return { first: early, later: new Set([...later, ...own([...later])].filter((id) => !early.has(id))) };
}

/** Name of a module of Node's own inside the bundler. */
export const builtinPrefix = '\0builtin:';

function builtinId(specifier) {
  return specifier.startsWith('node:') ? [builtinPrefix + specifier] : [];
}

/** The imports of a source, of those that it imports, and so on, without types and imports on use. */
function reachable(entry) {
  const found = new Map();
  const waiting = [resolve(entry)];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue;
    const statements = readFileSync(path, 'utf8').matchAll(/^(?:import|export) (?!type )([^;]*?) from '([^']+)';/gm);
    const folder = dirname(path);
    const imports = Array.from(statements, ([, names, from]) => ({
      names: names.split(/[\s{},]+/),
      from: from.startsWith('.') ? resolve(folder, from) : from,
    }));
    found.set(path, imports);
    for (const { from } of imports) if (from.startsWith('/')) waiting.push(from);
  }
  return found;
}

/** The listed sources of which the others use functions alone: any other value would have to be there from the start. */
function callable(listed, imports) {
  const left = new Set(listed.map((path) => resolve(path)).filter((path) => imports.has(path)));
  for (let before; before !== left.size;) {
    before = left.size;
    for (const [path, used] of imports) {
      if (left.has(path)) continue;
      for (const { names, from } of used) if (left.has(from) && usesValue(names, from)) left.delete(from);
    }
  }
  return left;
}

function usesValue(names, path) {
  const values = readFileSync(path, 'utf8').matchAll(/^export (?:abstract )?(?:const|let|class|enum) (\w+)/gm);
  return Array.from(values, ([, name]) => name).some((name) => names.includes(name)) || names.includes('*');
}
