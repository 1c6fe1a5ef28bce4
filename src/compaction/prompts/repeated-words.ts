/** Stands in a model's text where it repeats a message of the user that the checkpoint holds word for word. */
export const repeatedWords = "[the user's words, which stand above]";
