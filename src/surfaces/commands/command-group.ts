import type { Outcome } from '../../protocol/outcome.ts';
import type { Command, CommandArguments } from './command.ts';

/** What the file of a command exports. */
export interface CommandWork<Form extends Command> {
  /** Gives the exit code. An outcome is reported, and ends with 2 for wrong usage, else with 1. */
  run(given: CommandArguments<Form>): number | Outcome | Promise<number | Outcome>;
  /** Where to find what could not be written to standard output. */
  whereElse?(given: CommandArguments<Form>): string;
}

/** A command in the list of its group. */
export interface CommandRow {
  readonly command: Command;
  readonly load: () => Promise<CommandWork<Command>>;
}

/** Several commands under one name; the whole program is the group without a name. */
export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly does: string;
  readonly commands: Readonly<Record<string, CommandRow | CommandGroup>>;
  readonly notes?: string;
}

/** A row, with the check that the work takes what the command gives. */
export function commandRow<const Form extends Command>(
  command: Form,
  load: () => Promise<CommandWork<Form>>,
): CommandRow {
  // The parser gives the work of a command what its own table says, and nothing else.
  return { command, load: load as unknown as CommandRow['load'] };
}

/** Every command of a group and of those in it, in the order of the help text. */
export function allCommands({ commands }: CommandGroup): readonly Command[] {
  return Object.values(commands).flatMap((entry) => ('commands' in entry ? allCommands(entry) : [entry.command]));
}
