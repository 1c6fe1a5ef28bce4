import { join } from 'node:path';
import { type InputOptions, type OutputOptions, rolldown } from 'rolldown';
import { expect, test } from 'vitest';

type Configuration = InputOptions & { readonly output: OutputOptions };

test('the bundler has nothing to warn of', async () => {
  const path = join(import.meta.dirname, '../../rolldown.config.mjs');
  const { default: configurations } = (await import(path)) as { readonly default: readonly Configuration[] };
  const warnings: string[] = [];
  for (const { output, ...input } of configurations) {
    const build = await rolldown({
      ...input,
      onLog: (level, { message }) => {
        if (level === 'warn') warnings.push(message);
      },
    });
    await build.generate(output);
    await build.close();
  }
  expect(warnings).toEqual([]);
}, 60_000);
