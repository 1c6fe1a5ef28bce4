import { join } from 'node:path';
import { type InputOptions, type OutputOptions, rolldown } from 'rolldown';
import { expect, test } from 'vitest';

type Configuration = InputOptions & { readonly output: OutputOptions };

test('the bundler has nothing to warn of', async () => {
  const path = join(import.meta.dirname, '../../rolldown.config.mjs');
  const { default: configurations } = (await import(path)) as { readonly default: readonly Configuration[] };
  const warnings: string[] = [];
  /** Modules that look for native helpers: they would run those of any folder above the program. */
  const seekers: string[] = [];
  for (const { output, ...input } of configurations) {
    const build = await rolldown({
      ...input,
      onLog: (level, { message }) => {
        if (level === 'warn') warnings.push(message);
      },
    });
    const { output: files } = await build.generate(output);
    for (const file of files) {
      if (file.type === 'chunk' && /bufferutil|utf-8-validate/.test(file.code)) seekers.push(file.fileName);
    }
    await build.close();
  }
  expect([warnings, seekers]).toEqual([[], []]);
}, 60_000);
