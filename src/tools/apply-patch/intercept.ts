import { defined } from '../../protocol/defined.ts';
import { parsePatch } from './parse-patch.ts';

/** What a shell script has to do with patches. */
export type Interception =
  | { readonly kind: 'none' }
  /** The script does nothing but apply this patch, in `folder` if it goes there first. */
  | { readonly kind: 'patch'; readonly text: string; readonly folder?: string }
  /** The script is the patch itself: no shell can run it. */
  | { readonly kind: 'bare-patch' };

/**
 * Recognises the two scripts that models write to apply a patch: a heredoc to `apply_patch`, and the same after one
 * `cd … &&`. The whole script must be that and nothing else, in words that every shell reads in the same way. The text
 * of the heredoc is taken literally, whether its word is quoted or not: no patch means to have its dollars expanded.
 */
export function interceptPatch(script: string): Interception {
  const match = heredoc.exec(script);
  if (match?.groups === undefined) {
    return parsePatch(script).kind === 'parsed' ? { kind: 'bare-patch' } : { kind: 'none' };
  }
  const { single, double, bare, rest = '' } = match.groups;
  const word = match.groups['word'] ?? match.groups['quotedWord'] ?? match.groups['doubleQuotedWord'] ?? '';
  const end = endOf(rest, word);
  if (end === undefined) return { kind: 'none' };
  const folder = single ?? double ?? bare;
  return { kind: 'patch', text: rest.slice(0, end), ...defined({ folder }) };
}

/** Up to the end of the line with the heredoc's word. A folder has no character that a shell would act upon. */
const heredoc = new RegExp(
  [
    String.raw`^[ \t\n]*`,
    String.raw`(?:cd[ \t]+(?:'(?<single>[^'\n-][^'\n]*)'|"(?<double>[^"$\x60\\!\n-][^"$\x60\\!\n]*)"|(?<bare>[\w./@%+,:][\w./@%+,:=-]*))[ \t]*&&[ \t\n]*)?`,
    String.raw`(?:apply_patch|applypatch)[ \t]*<<[ \t]*`,
    String.raw`(?:'(?<quotedWord>[\w-]+)'|"(?<doubleQuotedWord>[\w-]+)"|(?<word>\w[\w-]*))[ \t]*\n(?<rest>.*)$`,
  ].join(''),
  's',
);

/** Where the line with the word begins, if nothing but blanks follows it. */
function endOf(text: string, word: string): number | undefined {
  let start = 0;
  for (const line of text.split('\n')) {
    if (line === word) return /^[ \t\n]*$/.test(text.slice(start + line.length)) ? start : undefined;
    start += line.length + 1;
  }
  return undefined;
}
