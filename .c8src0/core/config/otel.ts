import { isWebAddress } from '../../protocol/http.ts';
import { isJsonObject, type Json, type JsonObject, objectAt, stringAt } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';

/** The target of spans or metrics. Headers may hold secrets. */
export type OtlpTarget = { readonly endpoint: string; readonly headers: Readonly<Record<string, string>> };

export interface OtelSettings {
  readonly traces?: OtlpTarget;
  readonly metrics?: OtlpTarget;
  /** Deployment name, such as `dev`. */
  readonly environment: string;
  readonly attributes: Readonly<Record<string, string>>;
}

type OtelProblem = Outcome<'config-otel'>;

/** Messages never show a header, and only the beginning of an address. */
export function readOtel(table: Json | undefined): {
  readonly otel: OtelSettings | undefined;
  readonly problems: readonly OtelProblem[];
} {
  if (!isJsonObject(table)) return { otel: undefined, problems: [] };
  const problems: OtelProblem[] = [];
  const report = (key: string, what: string, next: string): undefined => {
    problems.push({ code: 'config-otel', message: `otel.${key} ${what}.`, next });
    return undefined;
  };
  const { exporter: logs = 'none' } = table;
  const noLogs = 'has no effect: Capstan sends traces and metrics, and no logs';
  if (logs !== 'none') report('exporter', noLogs, 'Use trace_exporter or metrics_exporter.');
  const traces = readTarget(table, 'trace_exporter', report);
  const metrics = readTarget(table, 'metrics_exporter', report);
  if (traces === undefined && metrics === undefined) return { otel: undefined, problems };
  const attributes = readAttributes(table['span_attributes'], report);
  const environment = stringAt(table, 'environment') ?? 'dev';
  return { otel: { ...(traces && { traces }), ...(metrics && { metrics }), environment, attributes }, problems };
}

type Report = (key: string, what: string, next: string) => undefined;

const form = '{ otlp-http = { endpoint = "https://…", protocol = "json" } }';

function readTarget(table: JsonObject, key: string, report: Report): OtlpTarget | undefined {
  const given = table[key];
  // By default Codex sends metrics to its maker's service; Capstan sends none.
  if (given === undefined || given === 'none' || given === 'statsig') return undefined;
  const http = isJsonObject(given) ? objectAt(given, 'otlp-http') : undefined;
  if (http === undefined)
    return report(key, 'is not used: only OTLP over HTTP is supported', `Write ${key} = ${form}.`);
  if (http['tls'] !== undefined) {
    const next = 'Name certificates to trust in CODEX_CA_CERTIFICATE, and remove tls.';
    return report(key, 'is not used: certificates of its own are not supported', next);
  }
  const protocol = stringAt(http, 'protocol') ?? 'json';
  if (protocol !== 'json')
    return report(key, 'is not used: only protocol = "json" is supported', 'Set protocol = "json".');
  const endpoint = stringAt(http, 'endpoint') ?? '';
  if (!isWebAddress(endpoint))
    return report(key, 'is not used: it has no endpoint that is a web address', `Write ${key} = ${form}.`);
  const headers = http['headers'] ?? {};
  const isSendable = ([name, value]: [string, Json | undefined]): boolean =>
    /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name) && typeof value === 'string' && /^[\t\x20-\x7e]*$/.test(value);
  if (!isJsonObject(headers) || !Object.entries(headers).every(isSendable))
    return report(key, 'is not used: its headers are not all names with a line of text', 'Correct the headers.');
  return { endpoint, headers: headers as Readonly<Record<string, string>> };
}

/** Drops attributes that are no text; the others are still useful. */
function readAttributes(given: Json | undefined, report: Report): Readonly<Record<string, string>> {
  if (given === undefined) return {};
  if (!isJsonObject(given)) return report('span_attributes', 'is not a table', 'Write names with texts.') ?? {};
  const pairs = Object.entries(given).filter(([name, value]) => {
    const isFit = name.trim() !== '' && typeof value === 'string';
    if (!isFit) report(`span_attributes.${name.slice(0, 100)}`, 'is left out: it is not a text', 'Write a text.');
    return isFit;
  });
  return Object.fromEntries(pairs) as Readonly<Record<string, string>>;
}
