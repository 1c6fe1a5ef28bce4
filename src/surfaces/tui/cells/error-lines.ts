const errorWords =
  /\b(?:\w*error|[1-9]\d*\s+errors|errors\s*[:=]\s*[1-9]\d*|fail(?:ed|ure|ures|ing)?|fatal|panic(?:ked)?|\w*exception|traceback|cannot|could not|undefined reference|no such file|not found|not ok|permission denied|segmentation fault|assertion)\b|^\s*(?:✗|✘|✖|×|E\s{2,})/i;
/** Reports that there was nothing: `0 failed`, `no errors`, `# fail 0`, `Failures: 0, Errors: 0`, `"failed": 0`. */
const noErrors =
  /(?<![\d.,])\b(?:0|no|without(?:\s+any)?)\s+(?:\w+\s+)?(?:error|failure|failed|failing|fail|exception)s?\b(?:\(s\))?|\b(?:error|failure|failed|failing|fail|exception)s?(?:\(s\))?["']?\s*[:=]?\s*0(?=\s*$|\s*[,;.)\]}|/](?!\d)|\s+\w+["']?\s*[:=]?\s*\d)/gi;

const longest = 500;

/** Whether a line of an output looks like one that says what went wrong. */
export function looksLikeError(line: string): boolean {
  const near = line.length > longest ? line.slice(0, longest) : line;
  return errorWords.test(near) && errorWords.test(near.replaceAll(noErrors, ''));
}
