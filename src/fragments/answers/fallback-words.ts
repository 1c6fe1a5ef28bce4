/**
 * What a program says to the model that continues a turn in the place of another. It has a tag because some servers get
 * it in one message with the user's words.
 */
export const continueForAnother =
  '<model_fallback>\nThe model that worked on this so far cannot answer any more. Continue from where the conversation stands.\n</model_fallback>';
