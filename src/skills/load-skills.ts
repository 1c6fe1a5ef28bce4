import { dirname } from 'node:path';
import { realPath } from '../disk/folders.ts';
import type { OfferedSkill } from '../planes/select-skills.ts';
import { isWithin } from '../policy/paths.ts';
import type { Outcome } from '../protocol/outcome.ts';
import { findSkillFiles, type SkillRoot } from './find-skill-files.ts';
import { fileVersion, readSkillFile, type SkillFileText, type SkillReading } from './read-skill-file.ts';
import { mayBeChosen, readSkillHead, type SkillHead, type WrongSkill } from './read-skill-head.ts';
import { isSwitchedOn, type SkillSwitch } from '../planes/skill-switches.ts';
import { tooManyFolders, skillLeavesProject, manyProblems, wrongSkill } from './skill-problems.ts';

/** A skill that may be used. */
export interface KnownSkill extends OfferedSkill {
  /** Where its file really is. */
  readonly place: string;
  /** Whether the model may choose it by itself. */
  readonly isOffered: boolean;
  /** Reads all of its file, up to a limit. */
  read(most: number): SkillFileText;
}

export interface LoadedSkills {
  readonly skills: readonly KnownSkill[];
  readonly plugins: readonly KnownPlugin[];
  readonly problems: readonly Outcome[];
}

/** A plugin that is installed. */
export interface KnownPlugin {
  readonly id: string;
  readonly name: string;
}

export interface SkillSources {
  readonly plugins: readonly KnownPlugin[];
  readonly roots: readonly SkillRoot[];
  readonly switches: readonly SkillSwitch[];
  /** What the policy keeps from the model. */
  denies(path: string): boolean;
}

/** A head is at the top of its file, and short. */
const headBytes = 64 * 1024;
/** A time stamp younger than this may be shared by a change that is still to come. */
const settledAfterMs = 2000;
const mostProblems = 10;

interface ReadHead {
  readonly version: string;
  readonly head: SkillHead | WrongSkill;
  readonly place: string;
  readonly isOffered: boolean;
}

/** The skills of a thread, for a caller that asks at the start of every turn: a file that has not changed is read once. */
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
    // The policy may be another one by now.
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
    const isOffered = policy.kind !== 'read' || (await mayBeChosen(policy.text));
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
