import type { ResolvedPolicy } from '../../../protocol/permissions.ts';
import { accessAt } from '../paths/access.ts';
import type { NeededPath } from './call-decision.ts';
import { joinPath, normalisePath } from '../paths/absolute-paths.ts';

/** What systems and languages say when a sandbox of ours stops them, each with the access that was tried at least. */
const complaints: readonly (readonly [text: string, tried: 'read' | 'write'])[] = [
  ['read-only file system', 'write'],
  ['erofs', 'write'],
  ['permission denied', 'read'],
  ['eacces', 'read'],
  ['operation not permitted', 'write'],
  ['eperm', 'write'],
];

/** A line without end is not searched to its end, nor more lines than a person would read. */
const [longestLine, mostLines, mostPaths] = [2000, 2000, 20];
/** Some programs name the file first and say what happened to it a line or two later. */
const linesBefore = 3;

/**
 * Files that a failed command could not use because of its policy: the output names the path together with a complaint,
 * *and* the policy refuses what was tried there. Words alone prove nothing: a test that prints "permission denied", or
 * a file that its owner locked, is none.
 */
export function deniedByOutput(output: string, policy: ResolvedPolicy, cwd: string): readonly NeededPath[] {
  if (policy.files.kind === 'unrestricted') return [];
  const found = new Map<string, NeededPath>();
  // What stopped a command stands near its end.
  const lines = output.split('\n').slice(-mostLines);
  for (const [at, line] of lines.entries()) {
    const complaint = complaintIn(line.slice(0, longestLine));
    if (complaint === undefined) continue;
    const { tried } = complaint;
    for (const path of pathsOf(complaint, lines.slice(Math.max(0, at - linesBefore), at), cwd)) {
      const granted = accessAt(policy, path);
      // What may be read was refused because it was to be written, or not by the policy at all.
      if (granted === 'write' || (granted === 'read' && tried === 'read')) continue;
      found.set(path, { path, access: granted === 'deny' ? tried : 'write' });
      if (found.size === mostPaths) return [...found.values()];
    }
  }
  return [...found.values()];
}

interface Complaint {
  readonly tried: 'read' | 'write';
  readonly before: string;
  readonly after: string;
}

/** The first complaint of a line, with what stands around all of them. */
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

/** Right before the complaint and a colon, in quotes after it, or in quotes in the lines before it if it stands alone. */
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
