import { X509Certificate } from 'node:crypto';
import { complain, readTrimmed, resolvePath, type BuildContext } from './build-parts.ts';
import type { Config } from './config.ts';
import type { Values } from './settings.ts';

const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The certificates of private authorities; null for none. */
export function authoritiesConfig({ caFile }: Values, context: BuildContext): Config['authorities'] {
  if (caFile === undefined) return null;
  const text = readTrimmed('caFile', caFile, context);
  if (text === null) return null;
  const certificates = text.match(PEM) ?? [];
  if (certificates.length === 0 || !certificates.every(isCertificate)) {
    complain(context, 'caFile', 'the file must contain certificates in PEM format, and no damaged one');
  }
  return { file: resolvePath(caFile, context), certificates };
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== '';
  } catch {
    return false;
  }
}
