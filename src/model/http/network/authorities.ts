import type { SecureContext } from 'node:tls';
import { errorCode } from '../../../disk/file-system.ts';
import { NotRegular, readUpTo, withRegular } from '../../../disk/regular-file.ts';
import type { Variables } from '../../../protocol/variables.ts';
import type { Unusable } from './proxy.ts';

export type Authorities = { readonly kind: 'trusted'; readonly secureContext: SecureContext } | Unusable;

/**
 * Reads the certificates that CODEX_CA_CERTIFICATE names, else SSL_CERT_FILE: trusted besides what Node trusts.
 * Undefined where neither is set, and nothing is loaded then.
 */
export function loadAuthorities(environment: Variables): Authorities | undefined {
  const variable = ['CODEX_CA_CERTIFICATE', 'SSL_CERT_FILE'].find((name) => (environment[name] ?? '').trim() !== '');
  if (variable === undefined) return undefined;
  const path = (environment[variable] ?? '').trim();
  const unusable = (why: string): Unusable => ({
    kind: 'unusable',
    message: `The file in ${variable}, ${path}, ${why}.`,
    next: `Let ${variable} name a file with certificates in PEM form, or unset it.`,
  });
  const text = loadText(path);
  if (typeof text !== 'string') return unusable(text.unreadable);
  const certificates = text.match(certificateForm) ?? [];
  if (certificates.length === 0) return unusable('holds no certificate in PEM form');
  const broken = certificates.findIndex((certificate) => !isCertificate(certificate));
  if (broken !== -1) {
    return unusable(`cannot be used: certificate ${broken + 1} of ${certificates.length} is damaged`);
  }
  const tls = process.getBuiltinModule('node:tls');
  const ca = [...tls.getCACertificates('default'), ...certificates];
  // Made once: an agent that is given the certificates would parse them for every connection.
  return { kind: 'trusted', secureContext: tls.createSecureContext({ ca }) };
}

const certificateForm = /-----BEGIN (TRUSTED |X509 )?CERTIFICATE-----[^-]*-----END (TRUSTED |X509 )?CERTIFICATE-----/g;

/** All authorities that a system knows take less than one. */
const mostBytes = 16 * 1024 * 1024;

function loadText(path: string): string | { readonly unreadable: string } {
  try {
    return withRegular(path, { links: 'followed' }, (file, { size }) => {
      if (size > mostBytes) return { unreadable: `is larger than ${mostBytes / 1024 / 1024} MB` };
      return readUpTo(file, { most: mostBytes, expected: size }).toString('latin1');
    });
  } catch (error) {
    if (error instanceof NotRegular) return { unreadable: 'is not a file' };
    const code = errorCode(error) ?? 'ERROR';
    return { unreadable: code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})` };
  }
}

/** Left to TLS, a damaged certificate would be ignored in silence. */
function isCertificate(text: string): boolean {
  try {
    const { X509Certificate } = process.getBuiltinModule('node:crypto');
    return new X509Certificate(text).raw.length > 0;
  } catch {
    return false;
  }
}
