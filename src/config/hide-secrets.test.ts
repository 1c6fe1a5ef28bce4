import { expect, test } from 'vitest';
import { hideSecrets } from './hide-secrets.ts';

test('tokens, and what looks like one, are not shown', () => {
  expect(
    hideSecrets({
      model: 'gpt-5.5',
      instructions: 'Token budgets matter',
      model_providers: {
        mine: {
          base_url: 'https://me:pass@host.example/v1?api-version=2&api_key=abc#x',
          env_key: 'MY_API_KEY',
          experimental_bearer_token: 'plain',
          http_headers: {
            Authorization: 'whatever',
            'X-Api-Key': 'short',
            Accept: 'application/json',
            'X-Trace': 'a1b2c3d4e5f6a1b2c3d4e5f6',
            'X-Odd': 'Bearer abc',
            'X-Team': 'search',
          },
          env_http_headers: { Authorization: 'MY_HEADER_VARIABLE' },
          query_params: { 'api-version': '2026-01-01', token: 'x' },
        },
      },
      shell_environment_policy: { set: { PATH: '/usr/bin', DB_PASSWORD: 'x' }, exclude: ['AWS_*'] },
      mcp_servers: {
        a: { args: ['--key', 'sk-abcdefgh1234'], env: { TOKEN: 'x' }, bearer_token_env_var: 'MCP_TOKEN' },
      },
      notify: ['send', 'ghp_0123456789abcdef'],
      tool_output_token_limit: 100,
      cli_auth_credentials_store: 'file',
    }),
  ).toEqual({
    model: 'gpt-5.5',
    instructions: 'Token budgets matter',
    model_providers: {
      mine: {
        base_url: 'https://<hidden>@host.example/v1?api-version=2&api_key=<hidden>#x',
        env_key: 'MY_API_KEY',
        experimental_bearer_token: '<hidden>',
        http_headers: {
          Authorization: '<hidden>',
          'X-Api-Key': '<hidden>',
          Accept: 'application/json',
          'X-Trace': '<hidden>',
          'X-Odd': '<hidden>',
          'X-Team': 'search',
        },
        env_http_headers: { Authorization: 'MY_HEADER_VARIABLE' },
        query_params: { 'api-version': '2026-01-01', token: '<hidden>' },
      },
    },
    shell_environment_policy: { set: { PATH: '/usr/bin', DB_PASSWORD: '<hidden>' }, exclude: ['AWS_*'] },
    mcp_servers: { a: { args: ['--key', '<hidden>'], env: { TOKEN: '<hidden>' }, bearer_token_env_var: 'MCP_TOKEN' } },
    notify: ['send', '<hidden>'],
    tool_output_token_limit: 100,
    cli_auth_credentials_store: 'file',
  });
});

test('in an address, parameters that are named like secrets are not shown, and others are', () => {
  const url = 'https://host.example/v1?a?auth=x&session_id=y&X-Amz-Signature=z&page=2&key';
  expect(hideSecrets({ url })).toEqual({
    url: 'https://host.example/v1?a?auth=<hidden>&session_id=<hidden>&X-Amz-Signature=<hidden>&page=2&key',
  });
});

test('of collectors neither a header nor a query is shown', () => {
  const exporter = {
    'otlp-http': { endpoint: 'https://u:p@c.org/v1?k=short', protocol: 'json', headers: { team: 'short', x: 'y' } },
  };
  expect(hideSecrets({ otel: { environment: 'dev', trace_exporter: exporter, metrics_exporter: 'none' } })).toEqual({
    otel: {
      environment: 'dev',
      trace_exporter: {
        'otlp-http': {
          endpoint: 'https://<hidden>@c.org/v1?<hidden>',
          protocol: 'json',
          headers: { team: '<hidden>', x: '<hidden>' },
        },
      },
      metrics_exporter: 'none',
    },
  });
});
