import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { Config } from '../config/config.ts';

/** Trusts the configured authorities in addition to the public ones, in all TLS connections of this thread. */
export function trustAuthorities({ authorities }: Pick<Config, 'authorities'>): void {
  if (authorities !== null) setDefaultCACertificates([...getCACertificates(), ...authorities.certificates]);
}
