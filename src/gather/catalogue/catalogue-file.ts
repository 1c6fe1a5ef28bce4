import type { Config } from '../../config/config.ts';
import type { Catalogue, CatalogueEntry } from '../../envelope/model-record.ts';
import { arrayAt, isJsonObject, type Json, stringAt } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { bundledCatalogue } from './catalogue.ts';
import { catalogueEntry } from './catalogue-record.ts';
import { readBounded } from '../../disk/read-bounded.ts';
import { readLimits } from '../files/read-limits.ts';

export type CatalogueProblem = Outcome<
  'model-catalogue-unreadable' | 'model-catalogue-empty' | 'model-catalogue-wrong'
>;

/**
 * The models that are known: those of the file in `model_catalog_json`, or the bundled ones without the key. A model
 * that the file does not have is unknown.
 */
export function loadCatalogue({
  modelCatalogJson: path,
}: Pick<Config, 'modelCatalogJson'>): Catalogue | CatalogueProblem {
  const bundled = bundledCatalogue();
  if (path === undefined) return bundled;
  const parsed = parseFile(path);
  if ('code' in parsed) return parsed;
  const list = isJsonObject(parsed.json) ? arrayAt(parsed.json, 'models') : undefined;
  if (list === undefined) return wrong(path, 'must be an object with a list "models"');
  const models: CatalogueEntry[] = [];
  for (const [at, record] of list.entries()) {
    const slug = isJsonObject(record) ? stringAt(record, 'slug') : undefined;
    if (!isJsonObject(record) || slug === undefined || slug.trim() === '') {
      return wrong(path, `has a model without a name: models[${at}].slug must be a string that is not blank`);
    }
    const entry = catalogueEntry(record, bundled.fallback);
    if ('expected' in entry)
      return wrong(path, `has a wrong value: ${entry.key} of "${slug}" must be ${entry.expected}`);
    models.push(entry);
  }
  const [first, ...others] = models;
  if (first !== undefined) return { models: [first, ...others], fallback: bundled.fallback };
  return {
    code: 'model-catalogue-empty',
    message: `The file in model_catalog_json has no models: ${path}`,
    next: 'Describe at least one model in it, or remove the key to use the bundled catalogue.',
  };
}

function parseFile(path: string): { readonly json: Json } | CatalogueProblem {
  const file = readBounded(path, { maxBytes: readLimits.catalogueBytes });
  if (file.kind !== 'read') {
    return {
      code: 'model-catalogue-unreadable',
      message: `The file in model_catalog_json ${file.kind === 'missing' ? 'does not exist' : `cannot be read (${file.reason})`}: ${path}`,
      next: 'Let the key name a file that you may read, or remove it to use the bundled catalogue.',
    };
  }
  try {
    return { json: JSON.parse(file.bytes.toString('utf8')) as Json };
  } catch (error) {
    return wrong(path, `is not JSON (${(error as SyntaxError).message})`);
  }
}

function wrong(path: string, what: string): CatalogueProblem {
  return {
    code: 'model-catalogue-wrong',
    message: `The file in model_catalog_json ${what}: ${path}`,
    next: 'Correct it, or remove the key to use the bundled catalogue.',
  };
}
