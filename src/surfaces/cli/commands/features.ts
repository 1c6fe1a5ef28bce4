import { resolve } from 'node:path';
import { featureNames, usedFeatures } from '../../../core/config/features.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { CommandArguments } from '../../views/command-line/command.ts';
import { loadCommandEngine } from '../../views/command-line/command-engine.ts';
import { didYouMean } from '../../views/command-line/did-you-mean.ts';
import type { featuresCommand } from '../table/settings-commands.ts';
import { loadFolderConfig } from '../../../engine/home/folder-config.ts';
import { currentFolderAndUser } from '../../views/terminal/process.ts';
import { print } from '../../views/terminal/print.ts';
import { printResult, formatTable } from '../../views/terminal/tables.ts';
import { configuredGates } from '../../views/wording/settings-text.ts';

type FeaturesArguments = CommandArguments<typeof featuresCommand>;

export const run = async ({ variant, words: [name = ''], options }: FeaturesArguments): Promise<number | Outcome> =>
  variant === 'list' ? list(options) : switchGate(name, variant === 'enable');

async function list(options: FeaturesArguments['options']): Promise<number | Outcome> {
  const here = currentFolderAndUser();
  if ('code' in here) return here;
  const configured = await loadFolderConfig(resolve(here.cwd, options.folder ?? '.'), here);
  if ('code' in configured) return configured;
  const gates = configuredGates(configured);
  return printResult({ features: gates }, options, () =>
    formatTable(gates.map(({ name, open, decided, does }) => [name, open ? 'on' : 'off', decided, does])),
  );
}

async function switchGate(name: string, open: boolean): Promise<number | Outcome> {
  if (!usedFeatures.some((gate) => gate.name === name)) return unknownGate(name);
  const loaded = await loadCommandEngine();
  if ('code' in loaded) return loaded;
  const { config, home } = loaded.engine;
  const failed = await config.switchFeature(name, open);
  if (failed !== undefined) return failed;
  print(`features.${name} = ${String(open)} in ${home}/config.toml. It counts for the next thread.\n`, 'text');
  return 0;
}

function unknownGate(name: string): Outcome {
  const names = usedFeatures.map((gate) => gate.name);
  const message = featureNames.includes(name)
    ? `The feature ${JSON.stringify(name)} of Codex does nothing in Capstan.`
    : `There is no feature ${JSON.stringify(name)}. ${didYouMean(name, names)}`.trimEnd();
  return { code: 'feature-unknown', message, next: 'See `capstan features list`.' };
}
