/** How many turns, at the beginning of a sentence. */
export function turnsWord(turns: readonly unknown[]): string {
  return turns.length === 1 ? 'One turn' : `${turns.length} turns`;
}

interface RolledBackThread {
  readonly id: string;
  readonly turns: readonly unknown[];
  readonly cutTurn?: string;
}

/** What a rollback to before a checkpoint has done, in lines. */
export function beforeCheckpointLines({ id, turns, cutTurn }: RolledBackThread, checkpoint: number): readonly string[] {
  return [
    `Thread ${id} continues from before checkpoint ${checkpoint}. Its history is as long as it was then.`,
    ...(cutTurn === undefined
      ? []
      : [`Turn ${cutTurn} is cut: what it did before the checkpoint stays, the rest is rolled back.`]),
    ...(turns.length === 0 ? [] : [`${turnsWord(turns)} rolled back.`]),
    'Files are unchanged.',
  ];
}
