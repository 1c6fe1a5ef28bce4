import type { CommandAnalysis } from './commands/analyse.ts';

/** Looks into commands without running them. */
export interface CommandReader {
  /** In microseconds: false where reading would find no danger. */
  mayBeDangerous(argv: readonly string[]): boolean;
  /** `canonical` is the same text for every spelling of the command. Never rejects. */
  read(argv: readonly string[]): Promise<{ readonly analysis: CommandAnalysis; readonly canonical: string }>;
}
