/** Nothing large is stored twice (I9): a longer word stands whole in the call that the model made. */
const longestWord = 1000;

export function isLong(word: string): boolean {
  return word.length > longestWord;
}

/** The beginning of a word, as lines about calls have it. Never through the middle of a character. */
export function shortWord(word: string): string {
  return isLong(word) ? `${word.slice(0, longestWord).replace(/[\ud800-\udbff]$/, '')} …` : word;
}
