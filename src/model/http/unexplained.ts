/** A refusal as the server put it. `parameter`: the part of the request that is at fault; empty where it names none. */
type RefusalWords = Readonly<Record<'code' | 'type' | 'parameter' | 'words', string>> & { readonly status: number };

/** What each of these means is known: a key, an address, a method, a limit per minute. */
const knownStatuses: ReadonlySet<number> = new Set([
  401, 402, 403, 404, 405, 407, 408, 409, 410, 411, 413, 414, 415, 417, 421, 423, 424, 425, 426, 428, 429, 431, 451,
]);

/** The conversation as a whole: a server may put a refusal for length down to it. */
const wholeConversation: ReadonlySet<string> = new Set(['', 'input', 'inputs', 'messages', 'prompt', 'contents']);

/** Codes and types that name a cause: a parameter, a key, money, a policy, a model, a part of the request. */
const knownCodes =
  /param|argument|unsupported|missing|required|not_?found|auth|api_?key|permission|forbidden|billing|quota|credit|payment|balance|policy|filter|safety|moderation|model|rate_?limit|region|country|schema|json|image|file|audio|tool|encrypt|signature|previous_response/i;

/** The same in words, for servers that have no codes. */
const knownWords: readonly RegExp[] = [
  /\b(?:unknown|unsupported|unrecogni[sz]ed|unexpected|missing|invalid|required|extra)\b[^.]{0,40}\b(?:parameter|argument|field|property|key|value|role|type|header|enum)/i,
  /\b(?:is|are) not (?:supported|allowed|permitted|available)\b/i,
  /\bdoes not (?:exist|support)\b/i,
  /\b(?:api[ _-]?key|token) (?:is )?(?:invalid|expired|missing)\b|\bunauthori[sz]ed\b/i,
  /\b(?:billing|quota|credits?|payment|balance)\b/i,
  /\bcontent[ _-](?:policy|filter|management)|\bmoderation\b|\bsafety\b|\busage polic/i,
  /\b(?:schema|tool_choice|tool_call|call_id|function call|image|base64|json)\b/i,
];

const longestWords = 4000;

/** Whether the answer names no cause: it may be a refusal for length in a wording that is not known yet. */
export function isUnexplained({ status, code, type, parameter, words }: RefusalWords): boolean {
  if (status < 400 || status > 499 || knownStatuses.has(status)) return false;
  if (!wholeConversation.has(parameter)) return false;
  if (knownCodes.test(code.slice(0, longestWords)) || knownCodes.test(type.slice(0, longestWords))) return false;
  const beginning = words.slice(0, longestWords);
  return !knownWords.some((pattern) => pattern.test(beginning));
}
