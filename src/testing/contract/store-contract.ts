import { blobCases, contentsCases } from './contents-cases.ts';
import { directoryCases } from './directory-cases.ts';
import type { ContractCase } from './kit.ts';
import { leaseCases } from './lease-cases.ts';
import { rolloutCases } from './rollout-cases.ts';

/** What every store must do, for any test runner: `for (const { name, run } of …) test(name, () => run(…))`. */
export const rolloutStoreContract: readonly ContractCase[] = [
  ...rolloutCases,
  ...leaseCases,
  ...directoryCases,
  ...blobCases,
  ...contentsCases,
];
