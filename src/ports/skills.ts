import type { Outcome } from '../protocol/outcome.ts';
import type { ResolvedPolicy } from '../protocol/permissions.ts';

/** What decides which skills a turn has. */
export interface SkillContext {
  readonly cwd: string;
  /** What the policy keeps from the model is not read for it. */
  readonly policy: ResolvedPolicy;
}

/** A skill that a message names, with all that its file says. */
export interface NamedSkill {
  readonly name: string;
  readonly path: string;
  readonly contents: string;
}

/** A plugin that a message names, and what it brings. */
export interface NamedPlugin {
  readonly name: string;
  /** What the names of its skills begin with. Absent when it has none. */
  readonly skillPrefix?: string;
}

/** What a message names. */
export interface NamedSkills {
  readonly skills: readonly NamedSkill[];
  readonly plugins: readonly NamedPlugin[];
  /** Why some of them cannot be had. */
  readonly problems: readonly Outcome[];
}

/** The list of skills within a budget, and what the user should know about what it leaves out. */
export interface SelectedSkills {
  readonly catalogue: {
    readonly roots: readonly { readonly alias: string; readonly path: string }[];
    readonly skills: readonly { readonly name: string; readonly description: string; readonly path: string }[];
    readonly left: number;
  };
  readonly shortened?: Outcome;
}

/** The skills of a thread. Which there are is looked at when a turn begins, and stays so until the next one does. */
export interface Skills {
  /** Gives what is wrong with files. Never rejects. */
  look(ground: SkillContext): Promise<readonly Outcome[]>;
  /** Undefined where there are none to list. */
  select(tokens: number): SelectedSkills | undefined;
  /** Those that a text seems to be about, where the list of so many tokens does not fully describe them. */
  relevant(text: string, tokens: number): SelectedSkills['catalogue']['skills'];
  /** Reads those that a text names. Never rejects. */
  named(text: string): Promise<NamedSkills>;
}
