import { join } from 'node:path';
import { ancestors } from './ancestors.ts';
import { readTextIfPossible } from './file-system.ts';
import { gitConfigValue } from './git-config.ts';
import { findGitDirectory, type GitDirectory } from './git-directory.ts';

/** What a thread remembers of the repository, in the keys that rollouts use. What is not known is absent. */
export interface GitFacts {
  readonly commit_hash?: string;
  readonly branch?: string;
  readonly repository_url?: string;
}

/** The nearest folder, from the working folder upwards, that is the top of a repository or worktree. */
export function findRepository(cwd: string): string | undefined {
  for (const folder of ancestors(cwd)) {
    if (findGitDirectory(folder) !== undefined) return folder;
  }
  return undefined;
}

/** Read from git's own files: starting git three times would take longer than everything else at the start of a thread. */
export function readGitFacts(root: string): GitFacts {
  const directory = findGitDirectory(root);
  if (directory === undefined) return {};
  const head = readTextIfPossible(join(directory.path, 'HEAD'))?.trim() ?? '';
  const commit = resolveRef(directory, head, 5);
  const branch = branchOf(head);
  const url = repositoryUrl(directory);
  return {
    ...(commit === undefined ? {} : { commit_hash: commit }),
    ...(branch === undefined ? {} : { branch }),
    ...(url === undefined ? {} : { repository_url: url }),
  };
}

/** A remote's address without what would let its reader in. A bare user name of ssh is no secret and stays. */
export function withoutCredentials(url: string): string {
  const parts = /^(?<scheme>[A-Za-z][A-Za-z0-9+.:-]*):\/\/(?<authority>[^/?#]*)(?<rest>.*)$/s.exec(url)?.groups;
  const { scheme, authority, rest } = parts ?? {};
  // Without a scheme it is a path or `user@host:path`, which has no place for a password.
  if (scheme === undefined || authority === undefined || rest === undefined) return url;
  const at = authority.lastIndexOf('@');
  const host = authority.slice(at + 1);
  if (/ssh$/i.test(scheme)) {
    const user = authority.slice(0, Math.max(at, 0)).split(':', 1)[0] ?? '';
    return `${scheme}://${user === '' ? '' : `${user}@`}${host}${rest}`;
  }
  return `${scheme}://${host}${rest.replace(/[?#].*$/s, '')}`;
}

const objectName = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** The commit behind what stands in HEAD or in a ref file: a name of an object, or `ref:` and another ref. */
function resolveRef(directory: GitDirectory, content: string, hops: number): string | undefined {
  if (objectName.test(content)) return content;
  const name = /^ref:\s*(?<name>\S+)$/.exec(content)?.groups?.['name'];
  if (name === undefined || hops === 0 || name.split('/').includes('..')) return undefined;
  const loose = readTextIfPossible(join(directory.path, name)) ?? readTextIfPossible(join(directory.common, name));
  if (loose !== undefined) return resolveRef(directory, loose.trim(), hops - 1);
  return packedRef(readTextIfPossible(join(directory.common, 'packed-refs')) ?? '', name);
}

function packedRef(text: string, name: string): string | undefined {
  const line = text.split('\n').find((candidate) => candidate.trimEnd().endsWith(` ${name}`));
  const object = line?.split(' ', 1)[0];
  return object !== undefined && objectName.test(object) ? object : undefined;
}

function branchOf(head: string): string | undefined {
  const name = /^ref:\s*refs\/heads\/(?<name>\S+)$/.exec(head)?.groups?.['name'];
  // Repositories that keep their refs in tables have this placeholder in HEAD; the real name is not in a text file.
  return name === '.invalid' ? undefined : name;
}

function repositoryUrl(directory: GitDirectory): string | undefined {
  const text = readTextIfPossible(join(directory.common, 'config'));
  if (text === undefined) return undefined;
  const url = gitConfigValue(text, { section: 'remote', subsection: 'origin', key: 'url' });
  return url === undefined || url === '' ? undefined : withoutCredentials(url);
}
