import type { ResolvedPolicy } from '../../../protocol/permissions.ts';
import { accessAt } from '../paths/access.ts';
import type { NeededPath } from './call-decision.ts';
import { joinPath, normalisePath } from '../paths/absolute-paths.ts';

/** Messages of systems and languages when our sandbox stops them, each with the least access that was attempted. */
const complaints: readonly (readonly [text: string, tried: 'read' | 'write'])[] = [
  ['read-only file system', 'write'],
  ['erofs', 'write'],
  ['permission denied', 'read'],
  ['eacces', 'read'],
  ['operation not permitted', 'write'],
  ['eperm', 'write'],
];

/** Limits of the search: characters of a line, lines and paths. A person would not read more lines. */
const [longestLine, mostLines, mostPaths] = [2000, 2000, 20];
/** Some programs name the file first, and the failure a line or two later. */
const linesBefore = 3;

/**
 * Files that a failed command could not use because of its policy: the output names the path with a complaint, *and*
 * the policy refuses that access. Words alone prove nothing: a test may print "permission denied", or the owner may
 * have locked the file.
 */
export function deniedPathsInOutput(output: string, policy: ResolvedPolicy, cwd: string): readonly NeededPath[] {
  if (policy.files.kind === 'unrestricted') return [];
  const found = new Map<string, NeededPath>();
  // The reason for a failure is near the end.
  const lines = output.split('\n').slice(-mostLines);
  for (const [at, line] of lines.entries()) {
    const complaint = complaintIn(line.slice(0, longestLine));
    if (complaint === undefined) continue;
    const { tried } = complaint;
    for (const path of pathsOf(complaint, lines.slice(Math.max(0, at - linesBefore), at), cwd)) {
      const granted = accessAt(policy, path);
      // The policy grants this access: it refused only writing to a readable file, or it refused nothing.
      if (granted === 'write' || (granted === 'read' && tried === 'read')) continue;
      found.set(path, { path, access: granted === 'deny' ? tried : 'write' });
      if (found.size === mostPaths) return [...found.values()];
    }
  }
  return [...found.values()];
}

type Complaint = { readonly tried: 'read' | 'write'; readonly before: string; readonly after: string };

function complaintIn(line: string): Complaint | undefined {
  const text = line.toLowerCase();
  const all = complaints.flatMap(([words, tried]) => {
    const at = text.indexOf(words);
    return at === -1 ? [] : [{ at, end: at + words.length, tried }];
  });
  const [first] = all.toSorted((a, b) => a.at - b.at);
  if (first === undefined) return undefined;
  const end = Math.max(...all.map((each) => each.end));
  return { tried: first.tried, before: line.slice(0, first.at), after: line.slice(end) };
}

/** Paths right before the complaint and a colon, in quotes after it, or, if nothing precedes it, in quotes above it. */
function pathsOf({ before, after }: Complaint, earlier: readonly string[], cwd: string): readonly string[] {
  const subject = /(?:'([^']+)'|"([^"]+)"|‘([^’]+)’|`([^`]+)`|([^\s:]+)): *(?:\[errno \d+\] *)?$/i.exec(before);
  const named = subject?.slice(1).find((text) => text !== undefined);
  const alone = before.trim() === '' ? earlier.flatMap(quotedIn).filter((text) => text.startsWith('/')) : [];
  const words = [...(named === undefined ? [] : [named]), ...quotedIn(after), ...alone];
  const absolute = words.map((word) => normalisePath(word.startsWith('/') ? word : joinPath(cwd, word)));
  return [...new Set(absolute.filter((path) => path !== undefined))];
}

function quotedIn(text: string): readonly string[] {
  const matches = text.slice(0, longestLine).matchAll(/'([^']+)'|"([^"]+)"|‘([^’]+)’|`([^`]+)`/g);
  return [...matches].flatMap((match) => match.slice(1).filter((part) => part !== undefined));
}
