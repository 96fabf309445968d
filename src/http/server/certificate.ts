import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { Clock, Logger } from '../../domain/ports.ts';
import { Scheduler } from '../../scheduler/scheduler.ts';

/** Absolute paths of PEM files. */
export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** A certificate with its chain, and its key, in PEM. */
export interface KeyPair {
  readonly cert: Buffer;
  readonly key: Buffer;
}

interface CertificateDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Pause between two checks of the files. */
  readonly checkEveryMs?: number;
}

/** The files are read, not watched: ACME clients replace links, which a watch of the file system misses. */
const CHECK_EVERY_MS = 10_000;
const DAY_MS = 86_400_000;
/** How long before its end a certificate causes a warning; a short-lived one when a third of its life is left. */
const WARN_BEFORE_MS = 14 * DAY_MS;

/**
 * The TLS certificate of the public address, re-read when its files change. A pair that cannot be used, such as a new
 * certificate whose key is not written yet, leaves the previous one in use.
 */
export class Certificate {
  readonly #files: CertificateFiles;
  readonly #deps: CertificateDeps;
  readonly #jobs: Scheduler;
  readonly #listeners: ((pair: KeyPair) => void)[] = [];
  #pair: KeyPair;
  #x509: X509Certificate;
  /** Why the present files cannot be used; null if they are in use. */
  #failure: string | null = null;
  #warnedOn: number | null = null;

  /** @throws {Error} that names the setting of a file that cannot be used */
  constructor(files: CertificateFiles, deps: CertificateDeps) {
    this.#files = files;
    this.#deps = deps;
    this.#pair = readPair(files);
    this.#x509 = new X509Certificate(this.#pair.cert);
    this.#jobs = new Scheduler(deps.logger).every(
      'certificate',
      deps.checkEveryMs ?? CHECK_EVERY_MS,
      async () => this.reload(),
    );
  }

  get pair(): KeyPair {
    return this.#pair;
  }

  /** When the certificate in use ends, ms. */
  get endsAt(): number {
    return Date.parse(this.#x509.validTo);
  }

  /** @param listener called with each new pair */
  onRenewed(listener: (pair: KeyPair) => void): void {
    this.#listeners.push(listener);
  }

  start(): void {
    this.#jobs.start();
  }

  async stop(): Promise<void> {
    await this.#jobs.stop();
  }

  /** Reads the files and uses them if they have changed. */
  reload(): void {
    const { logger } = this.#deps;
    try {
      const pair = readPair(this.#files);
      this.#failure = null;
      if (!pair.cert.equals(this.#pair.cert) || !pair.key.equals(this.#pair.key)) this.#use(pair);
    } catch (error) {
      const failure = errorMessage(error);
      if (failure !== this.#failure)
        logger.warn(
          { error: failure },
          'new TLS files cannot be used; the previous certificate stays in use',
        );
      this.#failure = failure;
    }
    this.#warnOfEnd();
  }

  /** For the operator: files that cannot be used, and the near end of the certificate. */
  warnings(): string[] {
    const failed =
      this.#failure === null ? [] : [`the previous TLS certificate stays in use: ${this.#failure}`];
    const leftMs = this.endsAt - this.#deps.clock.now();
    if (!this.isEnding()) return failed;
    const end = new Date(this.endsAt).toISOString();
    if (leftMs <= 0) return [...failed, `the TLS certificate ended at ${end}`];
    return [...failed, `the TLS certificate ends in ${Math.floor(leftMs / DAY_MS)} days, at ${end}`];
  }

  /** Whether it should have been renewed by now. */
  isEnding(): boolean {
    const lifeMs = this.endsAt - Date.parse(this.#x509.validFrom);
    return this.endsAt - this.#deps.clock.now() < Math.min(WARN_BEFORE_MS, lifeMs / 3);
  }

  #use(pair: KeyPair): void {
    this.#x509 = new X509Certificate(pair.cert);
    this.#pair = pair;
    this.#warnedOn = null;
    for (const listener of this.#listeners) listener(pair);
    const endsAt = new Date(this.endsAt).toISOString();
    this.#deps.logger.info({ endsAt }, 'TLS certificate renewed');
  }

  /** Once a day. */
  #warnOfEnd(): void {
    const now = this.#deps.clock.now();
    if (!this.isEnding() || (this.#warnedOn !== null && Math.abs(now - this.#warnedOn) < DAY_MS)) return;
    this.#warnedOn = now;
    const endsAt = new Date(this.endsAt).toISOString();
    const message = this.endsAt <= now ? 'TLS certificate has expired' : 'TLS certificate expires soon';
    this.#deps.logger.warn({ endsAt }, message);
  }
}

function readPair({ certFile, keyFile }: CertificateFiles): KeyPair {
  const pair = { cert: readPem('TILLD_TLS_CERT', certFile), key: readPem('TILLD_TLS_KEY', keyFile) };
  try {
    // Checks that they belong together.
    createSecureContext(pair);
    return pair;
  } catch (cause) {
    const why = `no certificate and key in PEM that belong together (${errorMessage(cause)})`;
    throw new Error(`${certFile} and ${keyFile} (TILLD_TLS_CERT, TILLD_TLS_KEY) are ${why}`, { cause });
  }
}

function readPem(setting: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new Error(`cannot read the file of ${setting}: ${errorMessage(cause)}`, { cause });
  }
}

function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
