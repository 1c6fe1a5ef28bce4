import type { Catalogue, CatalogueEntry } from '../../envelope/model-record.ts';
import { baseInstructions } from '../../fragments/sections/base-instructions.ts';

const efforts = ['low', 'medium', 'high', 'xhigh', 'max', 'ultra'];
const upTo = (last: string): readonly string[] => efforts.slice(0, efforts.indexOf(last) + 1);

const shared = {
  contextWindow: 272_000,
  effectivePercent: 95,
  modalities: ['text', 'image'],
  imageGeneration: false,
  webSearch: false,
  editTools: 'edit',
  modes: { default: {}, plan: {} },
} as const;
const inTokens = { mode: 'tokens', limit: 10_000 } as const;
const inBytes = { mode: 'bytes', limit: 10_000 } as const;

type Row = Pick<
  CatalogueEntry,
  'slug' | 'maxContextWindow' | 'compatibility' | 'defaultEffort' | 'supportedEfforts' | 'serviceTiers'
> &
  Partial<Pick<CatalogueEntry, 'contextWindow' | 'defaultVerbosity'>>;

const sixth = { maxContextWindow: 872_000, compatibility: '3000', defaultEffort: 'medium' } as const;
const newest = { ...sixth, defaultEffort: 'low', supportedEfforts: upTo('ultra'), serviceTiers: ['priority'] } as const;
const fifth = { compatibility: '2911', defaultEffort: 'medium', supportedEfforts: upTo('xhigh') } as const;
const tiers = ['priority', 'flex'] as const;

const rows: readonly [Row, ...Row[]] = [
  { ...newest, slug: 'gpt-6.1-sol' },
  { ...newest, slug: 'gpt-6-astra' },
  { ...newest, slug: 'gpt-6.1-terra', contextWindow: 500_000 },
  { ...newest, slug: 'gpt-6-sol', defaultEffort: 'medium' },
  { ...newest, slug: 'gpt-6-luna', defaultEffort: 'medium', supportedEfforts: upTo('max') },
  {
    ...sixth,
    slug: 'gpt-5.6-sol',
    defaultEffort: 'low',
    supportedEfforts: upTo('ultra'),
    serviceTiers: [...tiers, 'ultrafast'],
  },
  { ...sixth, slug: 'gpt-5.6-terra', supportedEfforts: upTo('ultra'), serviceTiers: tiers },
  { ...sixth, slug: 'gpt-5.6-luna', supportedEfforts: upTo('max'), serviceTiers: tiers },
  { ...fifth, slug: 'gpt-5.5', serviceTiers: tiers },
  { ...fifth, slug: 'gpt-5.4', maxContextWindow: 1_000_000, serviceTiers: tiers },
  { ...fifth, slug: 'gpt-5.4-mini', defaultVerbosity: 'medium', serviceTiers: [] },
  { slug: 'gpt-5.2', defaultEffort: 'medium', supportedEfforts: upTo('xhigh'), serviceTiers: [] },
];

/** Open weights, which people run themselves. */
const open = {
  ...shared,
  slug: 'gpt-oss',
  editTools: 'patch',
  contextWindow: 131_072,
  modalities: ['text'],
  truncation: inBytes,
  defaultEffort: 'medium',
  supportedEfforts: upTo('high'),
  serviceTiers: [],
} as const;

/** Models of Google. */
const gemini = {
  ...shared,
  slug: 'gemini-2.5',
  contextWindow: 1_048_576,
  maxOutputTokens: 65_536,
  truncation: inTokens,
  supportedEfforts: upTo('high'),
  serviceTiers: [],
} as const;

type Limits = Pick<CatalogueEntry, 'slug' | 'defaultEffort' | 'defaultSummary' | 'supportedEfforts'> & {
  readonly maxOutputTokens: number;
  readonly contextWindow?: number;
};

const upToMax = ['low', 'medium', 'high', 'max'];
/** They think about so many tokens. */
const budgeted = { defaultEffort: 'medium', supportedEfforts: upTo('high') } as const;
/** They think as they see fit, and show it only if they are asked to. */
const adaptive = { defaultEffort: 'high', defaultSummary: 'auto', supportedEfforts: upToMax } as const;

/** Models of Anthropic. The first row is for those that are newer than this list. */
const claudes: readonly Limits[] = [
  { slug: 'claude-', maxOutputTokens: 32_000, ...adaptive },
  { slug: 'claude-opus-4', maxOutputTokens: 32_000, ...budgeted },
  { slug: 'claude-sonnet-4', maxOutputTokens: 32_000, ...budgeted },
  { slug: 'claude-haiku-4', maxOutputTokens: 32_000, ...budgeted },
  { slug: 'claude-opus-4-6', maxOutputTokens: 32_000, ...adaptive },
  { slug: 'claude-opus-4-7', maxOutputTokens: 32_000, ...adaptive, supportedEfforts: upTo('max') },
  { slug: 'claude-sonnet-4-6', maxOutputTokens: 32_000, ...adaptive },
  { slug: 'claude-3-7-sonnet', maxOutputTokens: 32_000, ...budgeted },
  { slug: 'claude-3-5', maxOutputTokens: 8192, supportedEfforts: [] },
  { slug: 'claude-3', maxOutputTokens: 4096, supportedEfforts: [] },
];

/** Their window holds the answer as well: what it may have is not free for the request. */
function claudeEntry({ contextWindow = 200_000, ...limits }: Limits): Omit<CatalogueEntry, 'instructions'> {
  const effectivePercent = Math.floor((100 * (contextWindow - limits.maxOutputTokens)) / contextWindow) - 2;
  return { ...shared, truncation: inTokens, serviceTiers: [], ...limits, contextWindow, effectivePercent };
}

/** Those that stand there by their whole names: models of OpenAI. The others are beginnings of names. */
export function bundledNames(): readonly string[] {
  return rows.map(({ slug }) => slug);
}

let bundled: Catalogue | undefined;

/** The models that are known without asking a server. The same object each time. */
export function bundledCatalogue(): Catalogue {
  bundled ??= makeCatalogue(baseInstructions());
  return bundled;
}

function makeCatalogue(instructions: string): Catalogue {
  const entry = (row: Row): CatalogueEntry => ({
    ...shared,
    defaultVerbosity: 'low',
    editTools: 'patch',
    // The oldest one has no checkpoints of its own and still counts in bytes.
    truncation: row.compatibility === undefined ? inBytes : inTokens,
    instructions,
    ...row,
  });
  const [first, ...others] = rows;
  return {
    models: [
      entry(first),
      ...others.map(entry),
      { ...open, instructions },
      { ...gemini, instructions },
      ...claudes.map((row) => ({ ...claudeEntry(row), instructions })),
    ],
    fallback: { ...shared, truncation: inBytes, supportedEfforts: [], serviceTiers: [], instructions },
  };
}
