import type { Places } from '../policy/resolve-policy.ts';
import type { Catalogue } from './model-record.ts';

/** What is true of the world at the start of a turn. Gathered once, by `gather/`; resolvers read nothing else. */
export interface Facts {
  readonly time: TimeFacts;
  readonly shell: { readonly name: string; readonly path: string };
  /** Where symbols of a permission profile point to. */
  readonly places: Places;
  readonly catalogue: Catalogue;
  readonly client: ClientFacts;
}

export interface TimeFacts {
  readonly epochMs: number;
  /** Local date, `YYYY-MM-DD`. */
  readonly date: string;
  /** IANA name. */
  readonly timezone: string;
}

/** Who drives the engine. */
export interface ClientFacts {
  readonly name: string;
  readonly version: string;
  /** How the thread came to be, in the words that rollouts use: `exec`, `cli`, `mcp`. */
  readonly source: string;
  /** What the client calls the kind of threads that it makes; absent when it says nothing about it. */
  readonly threadSource?: string;
}

/** What may move between two requests of one turn. */
export interface StepFacts {
  readonly instructionDocument: InstructionDocument;
  readonly date: string;
}

/** The text of all AGENTS.md files that apply, already joined and cut to size. */
export interface InstructionDocument {
  /** The folder whose project files are in it; absent when only the personal file is. */
  readonly directory?: string;
  /** Absent when no file applies. */
  readonly text?: string;
}
