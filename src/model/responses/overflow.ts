/** Codes, types and reasons by which servers say that a request does not fit into the context window. */
const codes: ReadonlySet<string> = new Set([
  'context_length_exceeded',
  'context_window_exceeded',
  'model_context_window_exceeded',
  'exceed_context_size_error',
  'model_max_prompt_tokens_exceeded',
]);

export function isOverflowCode(code: string): boolean {
  return codes.has(code);
}

/**
 * Servers that have no code for it have words. Each of these names the context, or the prompt as a whole: limits per
 * minute and limits of a single field are other problems.
 */
const words: readonly RegExp[] = [
  /context[ _-]?(?:length|window|size|limit)[ _-]?(?:is |was |has been )?exceed/i,
  /exceed\w{0,10}[^.]{0,60}\bcontext[ _-]?(?:length|window|size|limit)/i,
  /(?:greater|longer|larger|more) than [^.]{0,40}\bcontext[ _-]?(?:length|window|size)/i,
  /\bmaximum (?:context|prompt) (?:length|size)/i,
  /\b(?:prompt|conversation) is too long/i,
  /\binput is too long for/i,
  /\bexceed\w{0,10} (?:the )?model token limit/i,
  /\binput token(?:s| count)\b[^.]{0,40}\bexceed/i,
  /\breduce the length of (?:the|your) (?:messages|prompt|input)/i,
];

/** A sentence has less, and a pattern must not be held up by a text that was made for it. */
const longestMessage = 4000;

export function saysOverflow(text: string): boolean {
  const beginning = text.slice(0, longestMessage);
  return words.some((pattern) => pattern.test(beginning));
}
