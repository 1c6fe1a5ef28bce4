import type { Outcome } from '../protocol/outcome.ts';
import type { ResolvedPolicy } from '../protocol/resolved-policy.ts';

/** What decides which skills a turn has. */
export interface SkillGround {
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

/** What a message names. */
export interface NamedSkills {
  readonly skills: readonly NamedSkill[];
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
  look(ground: SkillGround): Promise<readonly Outcome[]>;
  /** Undefined where there are none to list. */
  select(tokens: number): SelectedSkills | undefined;
  /** Reads those that a text names. Never rejects. */
  named(text: string): Promise<NamedSkills>;
}
