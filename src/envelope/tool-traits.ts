import type { CallNeeds } from '../policy/approval.ts';

/** What decides whether a tool is offered to the model. */
export interface ToolTraits {
  readonly name: string;
  /** What every call of it does at least. Absent: nothing that the policy governs. */
  readonly effect?: NonNullable<CallNeeds['effect']>;
  /** Of no use to a model that takes no pictures. */
  readonly givesPictures?: true;
}
