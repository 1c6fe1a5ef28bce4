import type { Catalogue, CatalogueEntry } from '../envelope/model-record.ts';
import { baseInstructions } from '../fragments/base-instructions.ts';

const efforts = ['low', 'medium', 'high', 'xhigh', 'max', 'ultra'];
const upTo = (last: string): readonly string[] => efforts.slice(0, efforts.indexOf(last) + 1);

const shared = {
  contextWindow: 272_000,
  effectivePercent: 95,
  serviceTiers: ['priority', 'flex'],
  modalities: ['text', 'image'],
  imageGeneration: false,
  webSearch: false,
  modes: { default: {}, plan: {} },
} as const;
const inTokens = { mode: 'tokens', limit: 10_000 } as const;
const inBytes = { mode: 'bytes', limit: 10_000 } as const;

type Row = Pick<CatalogueEntry, 'slug' | 'compatibility' | 'defaultEffort' | 'supportedEfforts' | 'defaultVerbosity'>;

const rows: readonly Row[] = [
  { slug: 'gpt-5.6-sol', compatibility: '3000', defaultEffort: 'low', supportedEfforts: upTo('ultra') },
  { slug: 'gpt-5.6-terra', compatibility: '3000', defaultEffort: 'medium', supportedEfforts: upTo('ultra') },
  { slug: 'gpt-5.6-luna', compatibility: '3000', defaultEffort: 'medium', supportedEfforts: upTo('max') },
  { slug: 'gpt-5.5', compatibility: '2911', defaultEffort: 'medium', supportedEfforts: upTo('xhigh') },
  { slug: 'gpt-5.4', compatibility: '2911', defaultEffort: 'medium', supportedEfforts: upTo('xhigh') },
  {
    slug: 'gpt-5.4-mini',
    compatibility: '2911',
    defaultEffort: 'medium',
    supportedEfforts: upTo('xhigh'),
    defaultVerbosity: 'medium',
  },
  { slug: 'gpt-5.2', defaultEffort: 'medium', supportedEfforts: upTo('xhigh') },
];

let bundled: Catalogue | undefined;

/** The models that are known without asking anyone. The same object each time. */
export function bundledCatalogue(): Catalogue {
  bundled ??= makeCatalogue(baseInstructions());
  return bundled;
}

function makeCatalogue(instructions: string): Catalogue {
  return {
    models: rows.map((row) => ({
      ...shared,
      defaultVerbosity: 'low',
      // The oldest one has no checkpoints of its own and still counts in bytes.
      truncation: row.compatibility === undefined ? inBytes : inTokens,
      instructions,
      ...row,
    })),
    fallback: { ...shared, truncation: inBytes, supportedEfforts: [], instructions },
  };
}
