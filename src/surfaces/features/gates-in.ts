import { featureGates, type GateName, isGateOpen, usedGates } from '../../config/feature-gates.ts';
import { type JsonObject, objectAt } from '../../protocol/json.ts';
import type { Configured } from '../engine/configured.ts';

/** A feature gate as it stands in a folder. */
export interface ConfiguredGate {
  readonly name: GateName;
  readonly open: boolean;
  /** `managed`: the administrator of the machine decides. */
  readonly decided: 'default' | 'config' | 'managed';
  readonly does: string;
}

/** The gates that do something, and who decided about each. */
export function gatesIn({
  effective,
  requirements,
}: Pick<Configured, 'effective' | 'requirements'>): readonly ConfiguredGate[] {
  const set = featureGates(
    (objectAt(effective.values, 'features') ?? {}) as Readonly<Record<string, boolean | JsonObject>>,
  );
  const pins = requirements.features?.pins ?? {};
  return usedGates.map(({ name, does }) => {
    const decided = pins[name] === undefined ? (set[name] === undefined ? 'default' : 'config') : 'managed';
    return { name, open: isGateOpen(name, { ...set, ...pins }), decided, does };
  });
}
