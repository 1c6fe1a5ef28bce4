/** A process that sends one request, reads the answer to its end, and reports the most memory that it held. */
import { providerDefaults } from '../../src/core/config/providers/provider-config.ts';
import { responsesClient } from '../../src/adapters/model/responses/client.ts';

const prompt = {
  options: { model: 'm', parallelToolCalls: true, cacheKey: 't1', labels: {} },
  instructions: '',
  tools: [],
  input: [],
};
const [baseUrl = '', way = 'http'] = process.argv.slice(2);
const client = responsesClient({
  credentials: () => Promise.resolve({ kind: 'none' }),
  environment: {},
  clock: { now: () => Date.now(), sleep: () => Promise.resolve() },
  random: () => 0.5,
  provider: {
    ...providerDefaults,
    id: 'p',
    name: 'Some Place',
    baseUrl,
    requestMaxRetries: 0,
    supportsWebsockets: way === 'socket',
  },
});

let most = 0;
const measure = (): void => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  most = Math.max(most, heapUsed + external);
};
const timer = setInterval(measure, 200);
let end: unknown;
const body = [Buffer.from('{"model":"m"}')];
for await (const event of client.stream({ body, prompt, headers: {} }, new AbortController().signal)) {
  if (event.kind === 'completed' || event.kind === 'failed') end = event;
}
clearInterval(timer);
measure();
client.close?.();
console.log(JSON.stringify({ most, end }));
