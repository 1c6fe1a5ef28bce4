import { join } from 'node:path';
import { withoutCredentials } from '../../policy/secrets.ts';
import { defined } from '../../protocol/defined.ts';
import { ancestors } from '../files/project-folders.ts';
import { gitConfigValue } from './git-config.ts';
import { findGitDirectory, type GitDirectory } from './git-directory.ts';
import { type BoundedReading, readTextIfPossible } from '../../disk/read-bounded.ts';
import { readLimits } from '../files/read-limits.ts';

/** What a thread remembers of the repository, in the keys that rollouts use. What is not known is absent. */
export interface GitFacts {
  readonly commit_hash?: string;
  readonly branch?: string;
  readonly repository_url?: string;
}

/** The nearest folder, from the working folder upwards, that is the top of a repository or worktree. */
export function findRepository(cwd: string): string | undefined {
  return ancestors(cwd).find((folder) => findGitDirectory(folder) !== undefined);
}

/** A name or an address that is longer was made to fill the thread that remembers it. */
const longestFact = 1000;

/** Read from git's own files: starting git three times would take longer than everything else at the start of a thread. */
export function readGitFacts(root: string, rules: Pick<BoundedReading, 'denies'> = {}): GitFacts {
  const directory = findGitDirectory(root);
  if (directory === undefined) return {};
  const read: ReadText = (path, maxBytes) => readTextIfPossible(path, { ...rules, maxBytes });
  const head = read(join(directory.path, 'HEAD'), readLimits.gitPointerBytes)?.trim() ?? '';
  const commit = resolveRef(directory, head, 5, read);
  const branch = notTooLong(branchOf(head));
  const url = notTooLong(repositoryUrl(directory, read));
  return defined({ commit_hash: commit, branch, repository_url: url });
}

type ReadText = (path: string, maxBytes: number) => string | undefined;

function notTooLong(fact: string | undefined): string | undefined {
  return fact === undefined || fact.length > longestFact ? undefined : fact;
}

const objectName = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** The commit behind what stands in HEAD or in a ref file: a name of an object, or `ref:` and another ref. */
function resolveRef(directory: GitDirectory, content: string, hops: number, read: ReadText): string | undefined {
  if (objectName.test(content)) return content;
  const name = /^ref:\s*(?<name>\S+)$/.exec(content)?.groups?.['name'];
  if (name === undefined || hops === 0 || name.split('/').includes('..')) return undefined;
  const places = [...new Set([directory.path, directory.common])].map((folder) => join(folder, name));
  const loose = places.values().map((path) => read(path, readLimits.gitPointerBytes));
  const found = loose.find((text) => text !== undefined);
  if (found !== undefined) return resolveRef(directory, found.trim(), hops - 1, read);
  return packedRef(read(join(directory.common, 'packed-refs'), readLimits.packedRefsBytes) ?? '', name);
}

/** The line of a ref in a file that may have a million of them: looked for as a whole, without cutting the file up. */
function packedRef(text: string, name: string): string | undefined {
  const wanted = ` ${name}`;
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) {
    const end = at + wanted.length;
    const isWhole = end === text.length || text[end] === '\n' || text.startsWith('\r\n', end);
    const object = isWhole ? text.slice(text.lastIndexOf('\n', at) + 1, at) : '';
    if (objectName.test(object)) return object;
  }
  return undefined;
}

function branchOf(head: string): string | undefined {
  const name = /^ref:\s*refs\/heads\/(?<name>\S+)$/.exec(head)?.groups?.['name'];
  // Repositories that keep their refs in tables have this placeholder in HEAD; the real name is not in a text file.
  return name === '.invalid' ? undefined : name;
}

function repositoryUrl(directory: GitDirectory, read: ReadText): string | undefined {
  const text = read(join(directory.common, 'config'), readLimits.gitConfigBytes);
  if (text === undefined) return undefined;
  const url = gitConfigValue(text, { section: 'remote', subsection: 'origin', key: 'url' });
  return url === undefined || url === '' ? undefined : withoutCredentials(url);
}
