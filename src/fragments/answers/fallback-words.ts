/** What a program says to the model that continues a turn in the place of another. */
export const continueForAnother =
  'The model that worked on this so far cannot answer any more. Continue from where the conversation stands.';

/** What a program says to the model when the user lets a turn that failed go on. */
export const continueAfterFailure =
  'The last request to the model failed, and the user lets it try again. Continue from where the conversation stands.';
