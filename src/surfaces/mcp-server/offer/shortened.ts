const [longest, head, tail] = [1000, 400, 200];

/** Words about a call, which may quote an argument of any length: a host must not have to read that back. */
export function shortened(words: string): string {
  if (words.length <= longest) return words;
  const left = words.length - head - tail;
  return `${words.slice(0, head)}… (${left} characters left out) …${words.slice(-tail)}`.toWellFormed();
}
