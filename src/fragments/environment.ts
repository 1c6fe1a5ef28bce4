import type { FragmentKind } from './define.ts';
import { escapeMarkup } from './markup.ts';

/** What to say about the environment; a member that is absent is not mentioned. */
export interface EnvironmentText {
  readonly cwd?: string;
  readonly shell?: string;
  readonly date?: string;
  readonly timezone?: string;
}

const markers = ['<environment_context>', '</environment_context>'] as const;

export const environmentFragment: FragmentKind<EnvironmentText> = {
  id: 'environment',
  role: 'user',
  markers,
  capTokens: 2000,
  body({ cwd, shell, date, timezone }) {
    const lines = [
      ['cwd', cwd],
      ['shell', shell],
      ['current_date', date],
      ['timezone', timezone],
    ] as const;
    const told = lines.flatMap(([tag, value]) =>
      value === undefined ? [] : [`  <${tag}>${escapeMarkup(value)}</${tag}>\n`],
    );
    return `\n${told.join('')}`;
  },
};

/** The environment is no longer described: what was said before may be wrong now. */
export const environmentWithdrawnFragment: FragmentKind<void> = {
  id: 'environment-withdrawn',
  role: 'user',
  markers,
  capTokens: 50,
  body: () => '\n  <withdrawn />\n',
};
