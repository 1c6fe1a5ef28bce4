import { isJsonObject } from '../protocol/json.ts';
import type { ConfigLayer } from './config-layer.ts';
import type { ConfigProblem } from './config-problem.ts';
import { keyProblem } from './key-problem.ts';

/** Profiles were tables once. One that has the name of the chosen profile would be expected to count, and does not. */
export function oldProfileProblems(layers: readonly ConfigLayer[], chosen: string): readonly ConfigProblem[] {
  return layers
    .filter(
      ({ name, values }) =>
        name !== 'project' && isJsonObject(values['profiles']) && Object.hasOwn(values['profiles'], chosen),
    )
    .map((layer) =>
      keyProblem(layer, ['profiles', chosen], {
        code: 'config-retired-key',
        severity: 'error',
        what: 'is the old form of a profile and is not read',
        next: `Move its keys into ${chosen}.config.toml in the home folder of Capstan and remove the table.`,
      }),
    );
}
