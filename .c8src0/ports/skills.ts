import type { Outcome } from '../protocol/outcome.ts';
import type { ResolvedPolicy } from '../protocol/permissions.ts';

export interface SkillContext {
  readonly cwd: string;
  /** Files that the policy hides from the model are not read for it. */
  readonly policy: ResolvedPolicy;
}

export type NamedSkill = { readonly name: string; readonly path: string; readonly contents: string };

export interface NamedPlugin {
  readonly name: string;
  /** The prefix of its skills' names. Absent when it has none. */
  readonly skillPrefix?: string;
}

export interface NamedSkills {
  readonly skills: readonly NamedSkill[];
  readonly plugins: readonly NamedPlugin[];
  readonly problems: readonly Outcome[];
}

/** The list of skills within a budget, and notices about what it leaves out. */
export interface SelectedSkills {
  readonly catalogue: {
    readonly roots: readonly { readonly alias: string; readonly path: string }[];
    readonly skills: readonly { readonly name: string; readonly description: string; readonly path: string }[];
    readonly left: number;
  };
  readonly shortened?: Outcome;
}

/** The skills of a thread. They are looked up at the start of a turn and fixed until the next one. */
export interface Skills {
  /** Finds the thread's skills, and returns problems with their files. Never rejects. */
  look(ground: SkillContext): Promise<readonly Outcome[]>;
  select(tokens: number): SelectedSkills | undefined;
  /** Skills that a text seems to be about and that a list of so many tokens does not fully describe. */
  relevant(text: string, tokens: number): SelectedSkills['catalogue']['skills'];
  /** Reads the skills that a text names. Never rejects. */
  named(text: string): Promise<NamedSkills>;
}
