import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '../../src/protocol/json.ts';
import { webToken } from './token-server.ts';
import { whenTestEnds } from './when-test-ends.ts';

export interface IssuerRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export type IssuerAnswer = readonly [status: number, body: JsonObject | string];

const claims = {
  email: 'user@example.org',
  'https://api.openai.com/auth': { chatgpt_account_id: 'acc-1', chatgpt_plan_type: 'pro' },
};

/** The tokens that the sign-in service issues. */
export const issuedTokens = {
  id_token: webToken(4_000_000_000, claims),
  access_token: webToken(4_000_000_001, claims),
  refresh_token: 'refresh-secret-1',
};

/** A place where users sign in, on this machine. It answers as `respond` says, else as the real one does. */
export async function startIssuer(
  respond: (request: IssuerRequest, index: number) => IssuerAnswer | undefined = () => undefined,
): Promise<{ readonly url: string; readonly requests: readonly IssuerRequest[] }> {
  const requests: IssuerRequest[] = [];
  const server = createServer(async (message, response) => {
    const text = Buffer.concat(await Array.fromAsync(message)).toString('utf8');
    const { method = '', url = '', headers } = message;
    const request = { method, path: url, headers, text };
    const index = requests.push(request) - 1;
    const [status, body] = respond(request, index) ?? usual(request);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  whenTestEnds(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

function usual({ path }: IssuerRequest): IssuerAnswer {
  switch (path) {
    case '/api/accounts/deviceauth/usercode':
      return [200, { device_auth_id: 'device-1', user_code: 'ABCD-EFGH', interval: '0' }];
    case '/api/accounts/deviceauth/token':
      return [200, { authorization_code: 'code-1', code_challenge: 'challenge', code_verifier: 'verifier-1' }];
    case '/oauth/token':
      return [200, issuedTokens];
    case '/v1/user-auth-credential/whoami':
      return [200, { email: 'user@example.org', chatgpt_account_id: 'acc-9', chatgpt_account_is_fedramp: true }];
    default:
      return [404, {}];
  }
}
