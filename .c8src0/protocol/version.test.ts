import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { nodeVersionProblem } from './version.ts';

it('names the version that is needed, which is the one of package.json', () => {
  const { engines } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    readonly engines: { readonly node: string };
  };
  const needed = engines.node.replace('>=', '');
  for (const old of ['18.20.1', '20.20.2', '22.18.0']) {
    expect(nodeVersionProblem(old)).toEqual({
      code: 'node-too-old',
      message: `Node ${old} is too old.`,
      next: `Run it with Node ${needed} or newer: https://nodejs.org`,
    });
  }
  // The command has the rule in its own words.
  expect(readFileSync(new URL('../bin.ts', import.meta.url), 'utf8')).toContain(`Node ${needed} or newer`);
  expect([`${needed}.0`, '23.0.0', '24.21.0'].map(nodeVersionProblem)).toEqual([undefined, undefined, undefined]);
});
