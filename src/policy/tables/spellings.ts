import type { PathPattern } from '../../protocol/permission-profile.ts';
import { type TableProblem, wrongValue } from './table-problem.ts';

/** Takes what a key says about what it means. Problems: another spelling of the same has said something else. */
type NoteSpelling = (meant: string, path: readonly string[], said: string | boolean) => readonly TableProblem[];

/** For the keys of the table `at`: places and hosts may be written in several ways. */
export function noteSpellings(at: readonly string[]): NoteSpelling {
  const first = new Map<string, { readonly key: string; readonly said: string | boolean }>();
  return (meant, path, said) => {
    const known = first.get(meant);
    const key = path
      .slice(at.length)
      .map((part) => JSON.stringify(part))
      .join('.');
    if (known === undefined) first.set(meant, { key, said });
    if (known === undefined || known.said === said) return [];
    const what = `contradicts ${known.key}, which means the same and says ${JSON.stringify(known.said)}`;
    return [wrongValue(path, what, 'Keep one of the two.')];
  };
}

/** The same text for the same place, as far as words tell. Undefined: the word has no place that is known here. */
export function meantPlace(pattern: PathPattern): string | undefined {
  if (pattern.type === 'path') return pattern.path;
  if (pattern.type === 'glob_pattern') return `glob ${pattern.pattern}`;
  const { value } = pattern;
  switch (value.kind) {
    case 'root':
      return '/';
    case 'slash_tmp':
      return '/tmp';
    case 'project_roots':
      return `workspace/${value.subpath ?? ''}`;
    case 'minimal':
    case 'tmpdir':
      return value.kind;
    default:
      return undefined;
  }
}
