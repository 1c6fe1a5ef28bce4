import { fragmentCatalog } from '../catalog.ts';

/** What clients call the text of a kind: the name of its family. Two have names that are older than the catalogue. */
export function contentName(id: string): string {
  const family = fragmentCatalog.find((kind) => kind.id === id)?.formOf ?? id;
  return given[family] ?? family.replaceAll('-', '_');
}

const given: Readonly<Record<string, string>> = {
  environment: 'environment_context',
  'agents-md': 'user_instructions',
};
