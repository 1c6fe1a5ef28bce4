/** Codes, types and reasons by which servers say that a request does not fit into the context window. */
const codes: ReadonlySet<string> = new Set(
  (
    'context_length_exceeded context_window_exceeded model_context_window_exceeded exceed_context_size_error ' +
    'model_max_prompt_tokens_exceeded prompt_too_long max_context_length_exceeded'
  ).split(' '),
);

export function isOverflowCode(code: string): boolean {
  return codes.has(code);
}

/**
 * Servers that have no code for it have words. Each row names the servers whose words it was made for. A row speaks of
 * the context, or of the prompt as a whole: limits per minute and limits of a single field are other problems.
 */
const words: readonly RegExp[] = [
  // OpenAI, Azure, DeepSeek, vLLM, Together, Fireworks, OpenRouter, Groq
  /\bmaximum (?:context|prompt|sequence|input) (?:length|size|tokens?)/i,
  /\breduce the length of (?:the|your) (?:messages|prompt|input)/i,
  /context[ _-]?(?:length|window|size|limit)[ _-]?(?:is |was |has been )?exceed/i,
  /exceed\w{0,10}[^.]{0,80}\bcontext[ _-]?(?:length|window|size|limit)/i,
  /(?:greater|longer|larger|more) than [^.]{0,60}\b(?:context[ _-]?(?:length|window|size)|maximum model length)/i,
  // Anthropic, Vertex
  /\b(?:prompt|conversation|input) is too long\b/i,
  // Bedrock
  /\btoo many input tokens\b(?![^.]{0,80}\b(?:per|minute|day|rate)\b)/i,
  /\binput (?:is )?too long\b/i,
  // Gemini
  /\binput token(?:s| count)\b[^.]{0,60}\bexceed/i,
  // Mistral, TGI
  /\btoo large for model\b[^.]{0,80}\bmaximum\b/i,
  /`inputs`[^.]{0,60}(?:less than|<=) ?\d/i,
  // Moonshot and others
  /\bexceed\w{0,10} (?:the )?model(?:'s)? (?:token|context|input) limit/i,
  // DashScope
  /\brange of input length should be\b/i,
  // LM Studio
  /\bkeep the first \d+ tokens\b/i,
  /\btokens to keep from the initial prompt\b/i,
  // llama.cpp, Ollama, SGLang
  /\bavailable context size\b/i,
  /\binput (?:length|prompt)\b[^.]{0,60}\b(?:exceeds|is longer than|is too long)/i,
  /\bprompt\b[^.]{0,60}\b(?:too long|exceeds? (?:the )?(?:max|limit))/i,
  // Cohere, xAI, GitHub
  /\btotal number of tokens\b[^.]{0,60}\b(?:exceed|too)/i,
  /\bmaximum prompt length\b|\bprompt token count of \d+ exceeds\b/i,
];

/** A sentence has less, and a pattern must not be held up by a text that was made for it. */
const longestMessage = 4000;

export function saysOverflow(text: string): boolean {
  const beginning = text.slice(0, longestMessage);
  return words.some((pattern) => pattern.test(beginning));
}

/** Words around the number of tokens that a server says its window has. */
const windows: readonly RegExp[] = [
  /maximum (?:context|model|prompt|sequence|input|allowed) (?:length|size)(?: \(| of | is )(\d[\d,_]*)/i,
  /context (?:length|size|window)(?: of only| of| is|:)? \(?(\d[\d,_]*)/i,
  /maximum number of tokens allowed \((\d[\d,_]*)/i,
  /\bn_ctx:? ?=?\s*(\d[\d,_]*)/i,
  />\s*(\d[\d,_]*)(?: maximum|,? decrease|\b)/,
  /should be \[\d+,\s*(\d[\d,_]*)\]/i,
  /\bmax(?:imum)? input tokens:? (\d[\d,_]*)/i,
  /\bwith (\d[\d,_]*) maximum context length/i,
  /`inputs`[^.]{0,60}(?:less than|<=) ?(\d[\d,_]*)/i,
  /\btoken limit: (\d[\d,_]*)/i,
  /(?:limit|maximum) (?:of|is) (\d[\d,_]*)/i,
];

/** A smaller number is no window of a model. */
const leastWindow = 512;

/** The window that a server names in its refusal, in tokens; undefined when it names none. */
export function windowNamedIn(text: string): number | undefined {
  const beginning = text.slice(0, longestMessage);
  for (const pattern of windows) {
    const digits = pattern.exec(beginning)?.[1]?.replaceAll(/[,_]/g, '');
    const tokens = digits === undefined ? Number.NaN : Number(digits);
    if (Number.isSafeInteger(tokens) && tokens >= leastWindow) return tokens;
  }
  return undefined;
}
