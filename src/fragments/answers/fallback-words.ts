/** What a program says to the model that continues a turn in the place of another. */
export const continueForAnother =
  'The model that worked on this so far cannot answer any more. Continue from where the conversation stands.';
