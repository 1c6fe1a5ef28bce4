const errorWords =
  /\b(?:\w*error|fail(?:ed|ure|ures|ing)?|fatal|panic(?:ked)?|\w*exception|traceback|cannot|could not|undefined reference|no such file|not found|not ok|permission denied|segmentation fault|assertion)\b|^\s*(?:✗|✘|✖|×|E\s{2,})/i;
/** Reports that there was nothing. */
const noErrors =
  /\b(?:0|no|without)\s+(?:\w+\s+)?(?:error|failure|failed|failing|exception)s?\b|\b(?:error|failure|failed)s?\s*[:=]\s*0\b/gi;

const longest = 500;

/** Whether a line of an output looks like one that says what went wrong. */
export function looksLikeError(line: string): boolean {
  const near = line.length > longest ? line.slice(0, longest) : line;
  return errorWords.test(near) && errorWords.test(near.replaceAll(noErrors, ''));
}
