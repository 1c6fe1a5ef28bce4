import type { Outcome } from '../../../protocol/outcome.ts';
import type { Engine } from '../../engine/engine.ts';
import { readTheme } from '../text/read-theme.ts';
import { ownTheme, type ThemeChoice } from '../text/theme-choice.ts';

export interface OwnThemes {
  readonly choices: readonly ThemeChoice[];
  readonly problems: readonly { readonly name: string; readonly outcome: Outcome }[];
}

/** The themes in the home folder. */
export async function ownThemes(engine: Engine): Promise<OwnThemes> {
  const choices: ThemeChoice[] = [];
  const problems: { readonly name: string; readonly outcome: Outcome }[] = [];
  for (const { name, path, content } of await engine.user.themeFiles()) {
    const read = 'text' in content ? readTheme(name, content.text) : content;
    if ('problem' in read) {
      const message = `${path} is not used: ${read.problem}.`;
      problems.push({
        name,
        outcome: { code: 'theme-broken', message, next: 'Correct the file, or choose another with /theme.' },
      });
    } else choices.push(ownTheme(read));
  }
  return { choices, problems };
}
