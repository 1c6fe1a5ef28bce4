import type { StoredLogin, LoginStore, NewTokens } from '../../src/ports/login.ts';

/** A login that no disk keeps, for tests. */
export class LoginInMemory {
  login: StoredLogin;
  isFull = false;

  constructor(login: StoredLogin) {
    this.login = login;
  }

  readonly store: LoginStore = {
    load: () => Promise.resolve(this.login),
    alone: (work) => work(),
    reserve: async () => {
      if (this.isFull) throw new Error('the disk is full');
      return { keep: async (tokens, at) => this.#keep(tokens, at), discard: () => {} };
    },
    unkept: () => Promise.resolve(undefined),
    save: () => Promise.reject(new Error('nothing is kept here')),
    forget: () => Promise.reject(new Error('nothing is kept here')),
  };

  #keep({ idToken: _idToken, ...tokens }: NewTokens, renewedAt: number): void {
    if (this.login.kind === 'chatgpt') this.login = { ...this.login, ...tokens, renewedAt };
  }
}
