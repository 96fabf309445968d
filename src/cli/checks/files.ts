import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from 'node:tls';
import type { Config } from '../../config/config.ts';
import { serviceSecretFiles } from '../service.ts';

/** Result of one check of the configuration. */
export interface Finding {
  readonly check: string;
  readonly result: 'ok' | 'warning' | 'failed';
  readonly detail: string;
}

const DAY_MS = 24 * 3_600_000;
/** A certificate that renews automatically is renewed a month before its end. */
const TLS_WARNING_DAYS = 14;
const TLS_TIMEOUT_MS = 10_000;

/** Whether backups are scheduled, and their folder can be written by the user of the service. */
export async function checkBackups({ backup, dataDir }: Config): Promise<Finding[]> {
  const check = 'backups';
  const findings: Finding[] = [];
  const probe = join(backup.folder, `.tilld-probe-${process.pid}`);
  try {
    await mkdir(backup.folder, { recursive: true, mode: 0o700 });
    await (await open(probe, 'wx', 0o600)).close();
    await rm(probe);
    findings.push({ check, result: 'ok', detail: `${backup.folder} can be written` });
  } catch (error) {
    findings.push({
      check,
      result: 'failed',
      detail: `${backup.folder} cannot be written (${errorMessage(error)})`,
    });
  }
  if (backup.schedule === null) {
    const detail = 'none are scheduled: set TILLD_BACKUP_SCHEDULE, or run tillctl backup by cron';
    findings.push({ check, result: 'warning', detail });
  }
  if (`${backup.folder}/`.startsWith(`${dataDir}/`)) {
    const detail = 'their folder is in the data directory: copy them to another machine';
    findings.push({ check, result: 'warning', detail });
  }
  return findings;
}

/** Whether files with secrets can be read by others than their owner and group. */
export function checkSecrets({ dataDir, secretFiles }: Config): Finding[] {
  const kept = ['keyring.json', 'keyring-passphrase', 'tilld.sqlite'].map((name) => join(dataDir, name));
  const files = [...new Set([...kept, ...secretFiles, ...serviceSecretFiles()])].filter((file) =>
    existsSync(file),
  );
  const open = files.filter((file) => (statSync(file).mode & 0o007) !== 0);
  if (open.length === 0)
    return [{ check: 'secrets', result: 'ok', detail: `${files.length} files, closed to other users` }];
  return open.map((file) => ({
    check: 'secrets',
    result: 'failed',
    detail: `every user of this machine can open ${file}: chmod 600 ${file}`,
  }));
}

/** How long the certificates of the daemon, of its public address and of trusted authorities are valid. */
export async function checkTls({ http, authorities }: Config): Promise<Finding[]> {
  const findings = (authorities?.certificates ?? []).map((pem) => {
    const { validTo, subject } = new X509Certificate(pem);
    return validity(`${authorities?.file} (${subject.replaceAll('\n', ', ')})`, Date.parse(validTo));
  });
  if (http.tls !== null) {
    const { certFile } = http.tls;
    try {
      const { validTo } = new X509Certificate(readFileSync(certFile));
      findings.push(validity(certFile, Date.parse(validTo)));
    } catch (error) {
      findings.push({
        check: 'certificate',
        result: 'failed',
        detail: `${certFile}: ${errorMessage(error)}`,
      });
    }
  }
  const { protocol, hostname, port, origin } = new URL(http.baseUrl);
  if (protocol !== 'https:') return findings;
  try {
    findings.push(validity(origin, await validUntil(hostname, Number(port || 443))));
  } catch (error) {
    const detail = `${origin}: not checked (${errorMessage(error)})`;
    findings.push({ check: 'certificate', result: 'warning', detail });
  }
  return findings;
}

function validity(subject: string, until: number): Finding {
  const days = Math.floor((until - Date.now()) / DAY_MS);
  const detail = `${subject}: valid until ${new Date(until).toISOString().slice(0, 10)}`;
  if (days < 0) return { check: 'certificate', result: 'failed', detail: `${detail}, EXPIRED` };
  return { check: 'certificate', result: days < TLS_WARNING_DAYS ? 'warning' : 'ok', detail };
}

/** End of the validity of a server's certificate, ms. @throws if it does not respond. */
async function validUntil(host: string, port: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  // An expired or foreign certificate is what is looked for; nothing is sent.
  const socket = connect({
    host,
    port,
    servername: host,
    rejectUnauthorized: false,
    timeout: TLS_TIMEOUT_MS,
  });
  socket.once('secureConnect', () => resolve(Date.parse(socket.getPeerCertificate().valid_to)));
  socket.once('timeout', () => reject(new Error('no response')));
  socket.once('error', reject);
  return promise.finally(() => socket.destroy());
}

function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
