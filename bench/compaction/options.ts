import { type Behaviour, behaviours } from './behaviours.ts';
import { type RealModel, strategies, type Strategy } from './run.ts';
import { transcripts } from './transcripts/all.ts';

export interface CompactionBenchOptions {
  /** Empty means all. */
  readonly transcripts: readonly string[];
  readonly strategies: readonly Strategy[];
  readonly behaviours: readonly Behaviour[];
  readonly json?: string;
  /** The parts to run; both by default. */
  readonly parts: readonly Part[];
  /** Absent: a scripted model. */
  readonly real?: RealModel;
}

/** Facts in long threads, or the conversations of the tests. */
const parts = ['transcripts', 'conversations'] as const;

export type Part = (typeof parts)[number];

export const usage = `Usage: npm run bench:compaction -- [options]

Without options a scripted model is asked, which needs no key.

  --home FOLDER         ask the model that is configured in this home folder
  --model NAME          another model; needs --home
  --provider ID         another provider; needs --home
  --part NAME           this part only: ${parts.join(' or ')}
  --transcript ID       this transcript only; may be repeated
  --strategy NAME       this strategy only; may be repeated
  --behaviour NAME      this behaviour of the scripted model only; may be repeated
  --json FILE           write everything that was found to FILE

Transcripts: ${transcripts.map(({ id }) => id).join(', ')}
Strategies: ${strategies.join(', ')}
Behaviours: ${behaviours.map((name) => JSON.stringify(name)).join(', ')}
`;

/** A string says what is wrong. */
export function parseOptions(words: readonly string[]): CompactionBenchOptions | string {
  const given = new Map<string, string[]>(names.map((name) => [name, []]));
  for (let at = 0; at < words.length; at += 2) {
    const [name, value] = [words[at]!, words[at + 1]];
    const values = given.get(name);
    if (values === undefined) return `There is no option ${name}.`;
    if (value === undefined) return `${name} needs a value.`;
    values.push(value);
  }
  const all = (name: Name): readonly string[] => given.get(name)!;
  const last = (name: Name): string | undefined => all(name).at(-1);
  const wrong =
    outside(
      all('--transcript'),
      transcripts.map(({ id }) => id),
    ) ??
    outside(all('--strategy'), strategies) ??
    outside(all('--part'), parts) ??
    outside(all('--behaviour'), behaviours);
  if (wrong !== undefined) return `There is no ${wrong}.`;
  const [home, model, provider, json] = [last('--home'), last('--model'), last('--provider'), last('--json')];
  if (home === undefined && (model !== undefined || provider !== undefined))
    return '--model and --provider need --home.';
  const real = {
    ...(model === undefined ? {} : { model }),
    ...(provider === undefined ? {} : { provider }),
  };
  return {
    transcripts: all('--transcript'),
    parts: all('--part').length === 0 ? parts : (all('--part') as readonly Part[]),
    strategies: all('--strategy') as readonly Strategy[],
    behaviours: all('--behaviour') as readonly Behaviour[],
    ...(json === undefined ? {} : { json }),
    ...(home === undefined ? {} : { real: { home, ...real } }),
  };
}

const names = [
  '--home',
  '--model',
  '--provider',
  '--part',
  '--transcript',
  '--strategy',
  '--behaviour',
  '--json',
] as const;

type Name = (typeof names)[number];

function outside(given: readonly string[], known: readonly string[]): string | undefined {
  return given.find((value) => !known.includes(value));
}
