import { agentsMdFragment, agentsMdWithdrawnFragment } from './agents-md.ts';
import { environmentFragment, environmentWithdrawnFragment } from './environment.ts';
import { permissionsFragment, permissionsWithdrawnFragment } from './permissions.ts';
import { turnAbortedFragment } from './turn-aborted.ts';

/** Every kind of fragment there is. A new kind of model-visible fact is added here, or it does not exist. */
export const fragmentCatalog = [
  permissionsFragment,
  permissionsWithdrawnFragment,
  agentsMdFragment,
  agentsMdWithdrawnFragment,
  environmentFragment,
  environmentWithdrawnFragment,
  turnAbortedFragment,
] as const;
