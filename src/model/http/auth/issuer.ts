/** Where users sign in. */
export const issuer = 'https://auth.openai.com';

/** The name of the program that users sign in with; it is public. */
export const clientId = 'app_EMoamEEZ73f0CkXaXp7hrann';
