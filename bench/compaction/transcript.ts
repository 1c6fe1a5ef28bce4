import type { ChangedFile } from '../../src/protocol/turn-item.ts';

/** A fixed thread, and what must still be known after it was compacted. */
export interface Transcript {
  readonly id: string;
  readonly title: string;
  /** The window of the model, in tokens. */
  readonly window: number;
  /** Turns. A checkpoint is made after each stretch, and the last one is scored. */
  readonly stretches: readonly (readonly Exchange[])[];
  /** The message of the user that defines the work in progress. */
  readonly task: string;
  readonly probes: readonly Probe[];
}

/** One turn: what the user said, what was done, what the model answered. */
export interface Exchange {
  readonly words: string;
  readonly pictures?: number;
  readonly work?: readonly Work[];
  readonly answer: string;
}

export type Work =
  | { readonly kind: 'command'; readonly command: string; readonly output: string }
  | { readonly kind: 'patch'; readonly patch: string; readonly changed: readonly ChangedFile[] }
  | { readonly kind: 'plan'; readonly steps: readonly PlannedStep[] };

export interface PlannedStep {
  readonly step: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
}

export const probeKinds = ['requirement', 'artefact', 'decision', 'next step'] as const;

export type ProbeKind = (typeof probeKinds)[number];

/** A fact that must be found: word for word, or all of its words in one message of the checkpoint, in any order. */
export interface Probe {
  readonly kind: ProbeKind;
  readonly fact: string;
  readonly form: 'exact' | 'words';
}

export function ran(command: string, output: string): Work {
  return { kind: 'command', command, output };
}

export function patched(...changed: readonly ChangedFile[]): Work {
  const hunks = changed.map(({ path, kind }) =>
    kind === 'delete' ? `*** Delete File: ${path}` : `*** ${kind === 'add' ? 'Add' : 'Update'} File: ${path}\n+done`,
  );
  return { kind: 'patch', patch: ['*** Begin Patch', ...hunks, '*** End Patch'].join('\n'), changed };
}

export function planned(...steps: readonly PlannedStep[]): Work {
  return { kind: 'plan', steps };
}

const probe =
  (kind: ProbeKind, form: Probe['form']) =>
  (fact: string): Probe => ({ kind, fact, form });

export const requirement = probe('requirement', 'exact');
export const artefact = probe('artefact', 'exact');
export const decision = probe('decision', 'words');
export const nextStep = probe('next step', 'words');
