/**
 * The parts of a key below `permissions` in which names stand without quotes, as programs write them that join the keys
 * of a map with dots. `ambiguous`: a dot may belong to a path or stand between two keys. Undefined: it is no such key.
 */
export function rawProfileKey(text: string): readonly string[] | 'ambiguous' | undefined {
  const found =
    /^permissions\.([A-Za-z0-9_-]+)\.(filesystem|workspace_roots|network\.(?:domains|unix_sockets))\.(.+)$/s.exec(text);
  if (found === null) return undefined;
  const [, id = '', table = '', rest = ''] = found;
  const before = ['permissions', id, ...table.split('.')];
  // The values of the other tables are no tables, so that everything that is left is one name.
  if (table !== 'filesystem') return [...before, rest];
  const symbol = /^:[A-Za-z0-9_-]+/.exec(rest)?.[0];
  if (symbol !== undefined) return symbolKey(before, symbol, rest.slice(symbol.length));
  if (!/^[/~]/.test(rest)) return undefined;
  // A dot that begins a name, as in `/home/me/.ssh`, separates nothing.
  return /[^/]\./.test(rest) ? 'ambiguous' : [...before, rest];
}

function symbolKey(before: readonly string[], symbol: string, rest: string): readonly string[] | undefined {
  if (rest === '') return [...before, symbol];
  return rest.startsWith('.') && rest.length > 1 ? [...before, symbol, rest.slice(1)] : undefined;
}
