import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { threadFolder } from '../disk/thread-folder.ts';
import { savedHookOutput } from '../fragments/events/hook-words.ts';
import { estimateTokens, truncateMiddle } from '../fragments/text/truncate.ts';

/** Space for the sentence that says where all of it is. */
const noticeTokens = 60;

/** Cuts what hooks say to a number of tokens. All of it goes into a file that commands can read. */
export type CutHookText = (text: string, mostTokens: number) => string;

export interface HookTexts {
  readonly cut: CutHookText;
  /** Removes the files. */
  close(): void;
}

/** `folder`: commands may read what is in it, and not write: a text names the file there to the model. */
export function createHookTexts(folder: string): HookTexts {
  const own = threadFolder(folder);
  let count = 0;
  const save = (text: string): string | undefined => {
    try {
      const path = join(own.path(), `${++count}.txt`);
      writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
      return path;
    } catch {
      return undefined;
    }
  };
  return {
    cut(text, mostTokens) {
      if (estimateTokens(text) <= mostTokens) return text;
      const preview = truncateMiddle(text, { mode: 'tokens', limit: Math.max(0, mostTokens - noticeTokens) });
      const path = save(text);
      return path === undefined ? preview : savedHookOutput(preview, path);
    },
    close: () => own.remove(),
  };
}
