import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { savedHookOutput } from '../fragments/events/hook-words.ts';
import { estimateTokens, truncateMiddle } from '../fragments/text/truncate.ts';

/** Space for the sentence that says where all of it is. */
const noticeTokens = 60;

/** Cuts what hooks say to a number of tokens. All of it goes into a file that commands can read. */
export type CutHookText = (text: string, mostTokens: number) => string;

/** `folder`: for temporary files. A folder of our own is made in it when it is first needed. */
export function createCutHookText(folder: string): CutHookText {
  let own: string | undefined;
  let count = 0;
  const save = (text: string): string | undefined => {
    try {
      own ??= mkdtempSync(join(folder, 'capstan-hooks-'));
      const path = join(own, `${++count}.txt`);
      writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
      return path;
    } catch {
      return undefined;
    }
  };
  return (text, mostTokens) => {
    if (estimateTokens(text) <= mostTokens) return text;
    const preview = truncateMiddle(text, { mode: 'tokens', limit: Math.max(0, mostTokens - noticeTokens) });
    const path = save(text);
    return path === undefined ? preview : savedHookOutput(preview, path);
  };
}
