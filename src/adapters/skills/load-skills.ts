import { valueOr } from '../../base/objects.ts';
import type { OfferedSkill, SkillCuts, SkillScope } from '../../core/planes/select-skills.ts';
import { isSwitchedOn, type SkillSwitch } from '../../core/planes/skill-switches.ts';
import { isWithin } from '../../core/policy/paths/absolute-paths.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { toNodePath, fileSystem, realPath } from '../disk/file-system.ts';
import { type NamedEntry, listExactEntries } from '../disk/folder-access.ts';
import { readRegularFile, readUpTo, realPathOf, versionOfFile } from '../disk/regular-files.ts';
import { allowsModelChoice, readSkillHead, type SkillHead, type WrongSkill } from './skill-head.ts';
import { isUtf8 } from 'node:buffer';
import { dirname } from 'node:path';

export interface KnownSkill extends OfferedSkill {
  readonly place: string;
  readonly isOffered: boolean;
  read(most: number): SkillFileText;
}

export interface LoadedSkills {
  readonly skills: readonly KnownSkill[];
  readonly plugins: readonly KnownPlugin[];
  readonly problems: readonly Outcome[];
}

export type KnownPlugin = { readonly id: string; readonly name: string };

export interface SkillSources {
  readonly plugins: readonly KnownPlugin[];
  readonly roots: readonly SkillRoot[];
  readonly switches: readonly SkillSwitch[];
  denies(path: string): boolean;
}

const headBytes = 64 * 1024;
/** A file changed more recently than this may change again without getting a new timestamp. */
const settledAfterMs = 2000;
const mostProblems = 10;

interface ReadHead {
  readonly version: string;
  readonly head: SkillHead | WrongSkill;
  readonly place: string;
  readonly isOffered: boolean;
}

/** Skills of a thread, for a caller that asks at the start of every turn: an unchanged file is read once. */
export class SkillFiles {
  #read = new Map<string, ReadHead>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  async load({ roots, plugins, switches, denies }: SkillSources): Promise<LoadedSkills> {
    const before = this.#read;
    this.#read = new Map();
    const skills = new Map<string, KnownSkill>();
    const problems: Outcome[] = [];
    for (const root of roots) {
      const { paths, outside, isCutShort } = findSkillFiles(root);
      problems.push(...outside.map(skillLeavesProject), ...(isCutShort ? [tooManyFolders(root.path)] : []));
      for (const path of paths) {
        const guard = guardOf(root, denies);
        const found = await this.#head(path, guard, before.get(path));
        if (found === undefined || skills.has(found.place)) continue;
        const { head, place } = found;
        if (head.kind === 'wrong') {
          problems.push(wrongSkill(path, head.reason));
          continue;
        }
        const skill = knownSkill(root, path, { ...found, head }, guard);
        if (isSwitchedOn(switches, { name: skill.name, paths: [path, place] })) skills.set(place, skill);
      }
    }
    return { skills: [...skills.values()], plugins, problems: manyProblems(problems, mostProblems) };
  }

  async #head(path: string, guard: SkillReading['guard'], before: ReadHead | undefined): Promise<ReadHead | undefined> {
    const beside = `${dirname(path)}/agents/openai.yaml`;
    const own = [fileVersion(path), fileVersion(beside)];
    const version = own.map((each) => each?.version ?? '').join(' ');
    // Asks the guard again, because the policy may have changed since the file was read.
    if (before?.version === version && guard(path, realPath(path) ?? path) === undefined) {
      this.#read.set(path, before);
      return before;
    }
    const file = readSkillFile(path, { most: headBytes, guard });
    if (file.kind === 'missing') return undefined;
    if (file.kind === 'unread' || !file.isUtf8) {
      const head = { kind: 'wrong', reason: file.kind === 'unread' ? file.reason : 'it is not UTF-8' } as const;
      return { version, head, place: path, isOffered: false };
    }
    const policy = readSkillFile(beside, { most: headBytes, guard });
    const isOffered = policy.kind !== 'read' || (await allowsModelChoice(policy.text));
    const read = { version, head: await readSkillHead(file.text, path), place: file.place, isOffered };
    const settledBefore = this.#now() - settledAfterMs;
    if (own.every((each) => each === undefined || each.modifiedMs < settledBefore)) this.#read.set(path, read);
    return read;
  }
}

function knownSkill(
  { path: root, scope, prefix = '' }: SkillRoot,
  path: string,
  { head, place, isOffered }: Pick<ReadHead, 'place' | 'isOffered'> & { readonly head: SkillHead },
  guard: SkillReading['guard'],
): KnownSkill {
  const { name, description } = head;
  const read = (most: number): SkillFileText => readSkillFile(path, { most, guard });
  return { name: prefix + name, description, path, root, scope, place, isOffered, read };
}

function guardOf({ within }: SkillRoot, denies: (path: string) => boolean): SkillReading['guard'] {
  return (path, place) => {
    if (within !== undefined && !isWithin(place, within)) return 'it leads out of the project';
    return denies(path) || denies(place) ? 'the policy denies reading it' : undefined;
  };
}

interface SkillRoot {
  readonly path: string;
  readonly scope: SkillScope;
  readonly prefix?: string;
  /** Links must stay within this folder. Absent: they may lead anywhere, since the user made them. */
  readonly within?: string;
}

const deepest = 6;
const mostFolders = 2000;
const mostEntries = 20_000;

/** Searches a root, nearest folders first. Reads no file. Enters each folder once, however many links lead to it. */
function findSkillFiles({ path: root, scope, within }: SkillRoot) {
  const paths: string[] = [];
  const outside: { path: string; place: string }[] = [];
  const entered = new Set<string>();
  let entriesLeft = mostEntries;
  let level = [root];
  for (let depth = 0; depth <= deepest && level.length > 0; depth++) {
    const next: string[] = [];
    for (const folder of level) {
      const place = realPath(folder);
      if (place === undefined || entered.has(place)) continue;
      if (within !== undefined && !isWithin(place, within)) {
        outside.push({ path: folder, place });
        continue;
      }
      if (entered.size >= mostFolders || entriesLeft <= 0) return { paths, outside, isCutShort: true };
      entered.add(place);
      const entries = entriesOf(folder, entriesLeft);
      entriesLeft -= entries.length;
      for (const entry of entries) {
        const path = `${folder}/${entry.name}`;
        if (entry.name === 'SKILL.md') paths.push(path);
        else if (!entry.name.startsWith('.') && isFolder(entry, path, { links: scope !== 'bundled' })) next.push(path);
      }
    }
    level = next;
  }
  return { paths, outside, isCutShort: false };
}

/** Sorted by name; empty if the folder cannot be read. */
function entriesOf(folder: string, most: number): readonly NamedEntry[] {
  return valueOr([], () => listExactEntries(folder, most).toSorted((a, b) => (a.name < b.name ? -1 : 1)));
}

function isFolder(entry: NamedEntry, path: string, { links }: { readonly links: boolean }): boolean {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  return valueOr(false, () => links && fileSystem.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true);
}

interface SkillReading {
  readonly most: number;
  /** The reason why the file must not be read, given its real place; undefined if it may. */
  guard(path: string, place: string): string | undefined;
}

type SkillFileText = ReturnType<typeof readSkillFile>;

/** Reads the beginning of a regular file. No entry at the path can block the program or fill its memory. */
function readSkillFile(path: string, { most, guard }: SkillReading) {
  return readRegularFile(path, (file, { size }) => {
    const place = realPathOf(file, path);
    const reason = guard(path, place);
    if (reason !== undefined) return { kind: 'unread', reason } as const;
    const bytes = readUpTo(file, { most: most + 1, expected: Math.min(size, most) });
    const isWhole = bytes.length <= most;
    // The end may be half a character.
    const isText = isUtf8(isWhole ? bytes : bytes.subarray(0, bytes.lastIndexOf('\n') + 1));
    return { kind: 'read', text: bytes.subarray(0, most).toString('utf8'), isUtf8: isText, isWhole, place } as const;
  });
}

/** Changes whenever the file does; undefined if there is none. */
function fileVersion(path: string): { readonly version: string; readonly modifiedMs: number } | undefined {
  try {
    const stats = fileSystem.statSync(toNodePath(path), { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    return { version: versionOfFile(stats), modifiedMs: Math.max(stats.mtimeMs, stats.ctimeMs) };
  } catch {
    return undefined;
  }
}

function wrongSkill(path: string, reason: string): Outcome<'skill-wrong'> {
  const message = `The skill ${path} is left out: ${reason}.`;
  return { code: 'skill-wrong', message, next: 'Correct it, or remove it.' };
}

function skillLeavesProject({ path, place }: { readonly path: string; readonly place: string }): Outcome {
  const message = `The skill folder ${path} is left out: it leads out of the project, to ${place}.`;
  return { code: 'skill-outside', message, next: 'Copy the folder into the project, or link it from your own skills.' };
}

function tooManyFolders(root: string): Outcome<'skills-cut-short'> {
  const message = `There are too many folders in ${root}. Skills in some of them are left out.`;
  return { code: 'skills-cut-short', message, next: 'Keep only skills there: up to 2,000 folders and 20,000 files.' };
}

export function ambiguousSkill(name: string, paths: readonly string[]): Outcome<'skill-ambiguous'> {
  const message = `Several skills are named ${name}: ${paths.join(', ')}.`;
  return { code: 'skill-ambiguous', message, next: `Name one by its file: [$${name}](${paths[0] ?? ''})` };
}

export function unknownSkill(name: string, nearest: string): Outcome<'skill-unknown'> {
  const message = `There is no skill ${name}, so nothing was sent for $${name}.`;
  return { code: 'skill-unknown', message, next: `Did you mean $${nearest}?` };
}

export function unreadSkill(path: string, reason: string): Outcome<'skill-unread'> {
  const message = `The skill ${path} cannot be read: ${reason}.`;
  return { code: 'skill-unread', message, next: 'The model did not get it. Check the file.' };
}

/** Keeps the first ones and counts the rest. */
function manyProblems(problems: readonly Outcome[], most: number): readonly Outcome[] {
  if (problems.length <= most) return problems;
  const message = `${problems.length - most} more skills are left out.`;
  return [...problems.slice(0, most), { code: 'skills-left-out', message, next: 'Correct the ones above first.' }];
}

export function shortenedSkills({ shortened, left }: SkillCuts): Outcome<'skills-shortened'> | undefined {
  if (shortened === 0 && left.length === 0) return undefined;
  const next =
    'Disable skills that you do not need (skills.config), or raise skills.max_context_tokens. You can name any skill: $name.';
  if (left.length === 0) {
    const what = shortened === 1 ? 'A description is' : `${shortened} descriptions are`;
    return { code: 'skills-shortened', message: `The list of skills exceeds its budget. ${what} shortened.`, next };
  }
  const named = left.slice(0, 10).join(', ');
  const more = left.length > 10 ? ` and ${left.length - 10} more` : '';
  const message = `The list of skills exceeds its budget. It has no descriptions and leaves out: ${named}${more}.`;
  return { code: 'skills-shortened', message, next };
}
