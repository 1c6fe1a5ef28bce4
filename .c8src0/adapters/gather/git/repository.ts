import { defined } from '../../../base/objects.ts';
import { withoutUrlCredentials } from '../../../core/policy/secrets.ts';
import { fileSystem, kindOfEntry, pathText, realPath } from '../../disk/file-system.ts';
import { type BoundedReading, readBounded, readIfPossible, readTextIfPossible } from '../../disk/regular-files.ts';
import { folderAndParents } from '../files/project-folders.ts';
import { readLimits } from '../files/read-guard.ts';
import { basename, dirname, join, resolve } from 'node:path';

/** Repository facts that a thread remembers, in the keys that rollouts use. Unknown ones are absent. */
export interface GitFacts {
  readonly commit_hash?: string;
  readonly branch?: string;
  readonly repository_url?: string;
}

/** The nearest folder, from the working folder up, that is the top of a repository or worktree. */
export function findRepository(cwd: string): string | undefined {
  return folderAndParents(cwd).find((folder) => findGitDirectory(folder) !== undefined);
}

/** Capstan drops longer names and addresses: they could only be there to fill the thread. */
const longestFact = 1000;

/** Reads git's own files: starting git three times would take longer than all else at a thread's start. */
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

/** The commit behind the content of HEAD or a ref file: an object name, or `ref:` and another ref. */
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

/** Searches the whole text without splitting it: the file may have a million lines. */
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
  // Placeholder in HEAD of repositories with reftables; the real name is not in a text file.
  return name === '.invalid' ? undefined : name;
}

function repositoryUrl(directory: GitDirectory, read: ReadText): string | undefined {
  const text = read(join(directory.common, 'config'), readLimits.gitConfigBytes);
  if (text === undefined) return undefined;
  const url = gitConfigValue(text, { section: 'remote', subsection: 'origin', key: 'url' });
  return url === undefined || url === '' ? undefined : withoutUrlCredentials(url);
}

export interface GitConfigEntry {
  /** Lower case: sections and keys are case-insensitive. */
  readonly section: string;
  /** Case-sensitive. */
  readonly subsection?: string;
  readonly key: string;
  readonly value: string;
}

/** The entries of a git configuration file, in order. Does not read included files. */
export function* gitConfigEntries(text: string): Generator<GitConfigEntry> {
  let place: Pick<GitConfigEntry, 'section' | 'subsection'> | undefined;
  for (const whole of text.replace(/\\\r?\n/g, '').split('\n')) {
    let line = whole.trim();
    while (line.startsWith('[')) {
      // The second run of blanks belongs to the quoted name: two adjacent runs would be tried in every split.
      const [header = '', section, name] = /^\[\s*([\w.-]+)\s*(?:"((?:[^"\\]|\\.)*)"\s*)?\]/.exec(line) ?? [];
      const subsection = name?.replace(/\\(.)/g, '$1');
      place = section === undefined ? undefined : { section: section.toLowerCase(), ...defined({ subsection }) };
      line = header === '' ? '' : line.slice(header.length).trimStart();
    }
    const equals = line.indexOf('=');
    if (place === undefined || equals < 0) continue;
    const key = line.slice(0, equals).trim().toLowerCase();
    yield { ...place, key, value: plainValue(line.slice(equals + 1).trim()) };
  }
}

/** The first value of a key, or undefined. The subsection is case-sensitive. Does not read included files. */
export function gitConfigValue(text: string, wanted: Omit<GitConfigEntry, 'value'>): string | undefined {
  const isWanted = ({ section, subsection, key }: GitConfigEntry): boolean =>
    section === wanted.section && subsection === wanted.subsection && key === wanted.key;
  return gitConfigEntries(text).find(isWanted)?.value;
}

/** Removes quotes, comments and unquoted space around it. */
function plainValue(written: string): string {
  if (!/["\\#;]/.test(written)) return written;
  let value = '';
  let isQuoted = false;
  for (let at = 0; at < written.length; at++) {
    const character = written.charAt(at);
    if (character === '\\') {
      at++;
      value += escapes[written.charAt(at)] ?? written.charAt(at);
    } else if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (character === '#' || character === ';')) return value.trimEnd();
    else value += character;
  }
  return value;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b' };

export interface GitDirectory {
  readonly path: string;
  /** Holds branches, packed refs and the configuration. Differs from `path` only in linked worktrees. */
  readonly common: string;
  /** `.git` is a file pointing here, as in linked worktrees and submodules. */
  readonly isPointedTo: boolean;
}

const pointer = { maxBytes: readLimits.gitPointerBytes };

/** The git folder behind the folder's `.git`, or undefined if there is none that git would accept. */
export function findGitDirectory(folder: string): GitDirectory | undefined {
  const entry = join(folder, '.git');
  const kind = kindOfEntry(entry);
  if (kind === 'folder') return gitDirectoryAt(entry, { isPointedTo: false });
  if (kind !== 'file') return undefined;
  const target = pointerTarget(pathIn(entry) ?? '');
  const path = target === undefined ? undefined : leadsTo(folder, target);
  return path === undefined ? undefined : gitDirectoryAt(path, { isPointedTo: true });
}

/** Resolves like the system, not by spelling: `link/..` is the parent of the link's target. */
function leadsTo(folder: string, target: string): string | undefined {
  return realPath(target.startsWith('/') ? target : `${folder}/${target}`);
}

function pathIn(file: string): string | undefined {
  const bytes = readIfPossible(file, pointer);
  return bytes && pathText(bytes);
}

function pointerTarget(text: string): string | undefined {
  const key = 'gitdir: ';
  const target = withoutLineEnds(text.slice(key.length));
  return text.startsWith(key) && target !== '' ? target : undefined;
}

const withoutLineEnds = (text: string): string => text.replace(/[\r\n]+$/, '');

function gitDirectoryAt(path: string, { isPointedTo }: { readonly isPointedTo: boolean }): GitDirectory | undefined {
  // Git does not accept an empty or incomplete folder and looks further up.
  if (kindOfEntry(join(path, 'HEAD')) !== 'file') return undefined;
  const shared = withoutLineEnds(pathIn(join(path, 'commondir')) ?? '');
  const common = shared === '' ? path : leadsTo(path, shared);
  return common === undefined ? undefined : { path, common, isPointedTo };
}

/** The main checkout of a linked worktree. Undefined unless its repository lists the worktree at this very place. */
export function mainCheckout(worktree: string): string | undefined {
  const directory = findGitDirectory(worktree);
  if (directory === undefined || !directory.isPointedTo || directory.common === directory.path) return undefined;
  try {
    const common = fileSystem.realpathSync(directory.common);
    const own = fileSystem.realpathSync(directory.path);
    // The `.git` file is only a claim; these records cannot be forged without writing into the main repository.
    const isListed = dirname(own) === join(common, 'worktrees');
    const known = pathIn(join(own, 'gitdir'))?.trim();
    if (!isListed || known === undefined || basename(known) !== '.git') return undefined;
    const isHere = fileSystem.realpathSync(dirname(resolve(own, known))) === fileSystem.realpathSync(worktree);
    return isHere && basename(common) === '.git' ? dirname(common) : undefined;
  } catch {
    return undefined;
  }
}

/** Git gives up after this many nested includes. */
const mostDepth = 10;
const mostFiles = 100;

export function repositoryGitSettings({ path, common }: GitDirectory, home: string | undefined) {
  return settingsFrom([join(common, 'config'), join(path, 'config.worktree')], home);
}

/** Settings of the user and of the machine, for git running in the folder, where relative paths start. */
export function userGitSettings(env: Readonly<Record<string, string | undefined>>, folder: string) {
  const { HOME: home, XDG_CONFIG_HOME: configHome, GIT_CONFIG_GLOBAL: chosen, GIT_CONFIG_SYSTEM: machine } = env;
  const ofHome =
    home === undefined ? [] : [join(home, '.gitconfig'), join(configHome || `${home}/.config`, 'git/config')];
  const all = [machine ?? '/etc/gitconfig', ...(chosen === undefined ? ofHome : [chosen])];
  const files = all.filter((file) => file !== '').map((file) => resolve(folder, file));
  const found = settingsFrom(files, home);
  // These two variables hold settings themselves, which are not read here.
  const given = ['GIT_CONFIG_PARAMETERS', 'GIT_CONFIG_COUNT'].find((name) => (env[name] ?? '') !== '');
  return given === undefined ? found : { ...found, unread: given };
}

/** All paths are absolute and need not exist. `unread`: a source that Capstan did not read; it may name more files. */
function settingsFrom(roots: readonly string[], home: string | undefined) {
  const files = new Set<string>();
  const hooks: string[] = [];
  let unread: string | undefined;
  const add = (file: string, depth: number): void => {
    if (files.has(file)) return;
    if (depth > mostDepth || files.size >= mostFiles) return void (unread ??= file);
    files.add(file);
    const read = readBounded(file, { maxBytes: readLimits.gitConfigBytes });
    if (read.kind === 'unread') unread ??= file;
    const text = read.kind === 'read' ? read.bytes.toString('utf8') : '';
    for (const { section, key, value } of gitConfigEntries(text)) {
      if (section === 'core' && key === 'hookspath') hooks.push(inHome(value, home));
      // Ignores include conditions: their result may change until git looks.
      const isInclude = section.startsWith('include') && key === 'path';
      if (isInclude && /^(?:~[^/]|%)/.test(value)) unread ??= file;
      if (isInclude) add(resolve(dirname(file), inHome(value, home)), depth + 1);
    }
  };
  for (const file of roots) add(file, 0);
  return { files: [...files], hooks, unread };
}

function inHome(path: string, home: string | undefined): string {
  return home !== undefined && path.startsWith('~/') ? join(home, path.slice(2)) : path;
}
