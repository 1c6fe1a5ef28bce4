import { createHash } from 'node:crypto';
import type { LoginLimits } from '../../../policy/login-limits.ts';

/** Proves to the issuer that the program that has the code is the one that asked for it. */
export interface CodeProof {
  readonly verifier: string;
  readonly challenge: string;
}

export function codeProof(random: (bytes: number) => Buffer): CodeProof {
  const verifier = random(64).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

export interface SignInPage {
  readonly issuer: string;
  readonly clientId: string;
  /** Where the page sends the user back to. */
  readonly redirectUri: string;
  readonly challenge: string;
  /** Comes back with the user. */
  readonly state: string;
  readonly originator: string;
  readonly workspaces: LoginLimits['workspaces'];
}

/** The address of the page on which a user signs in. */
export function signInPage(page: SignInPage): string {
  const parameters = new URLSearchParams({
    response_type: 'code',
    client_id: page.clientId,
    redirect_uri: page.redirectUri,
    scope: 'openid profile email offline_access api.connectors.read api.connectors.invoke',
    code_challenge: page.challenge,
    code_challenge_method: 'S256',
    id_token_add_organizations: 'true',
    codex_cli_simplified_flow: 'true',
    state: page.state,
    originator: page.originator,
  });
  if (page.workspaces !== undefined) parameters.set('allowed_workspace_id', page.workspaces.join(','));
  return `${page.issuer}/oauth/authorize?${parameters}`;
}
