import { createApp } from './app/app.ts';
import { excludeMemoryFromCoreDumps } from './app/core-dumps.ts';
import { ConfigError, loadConfig, redactedConfig } from './config/load-config.ts';
import { packageVersion } from './config/package-root.ts';
import { createLogger } from './app/logger.ts';
import { openLogOutput } from './app/log-output.ts';
import { trustAuthorities } from './app/trust-authorities.ts';
import { ReplicaUnknownError } from './replica/litestream-process.ts';
import { readableLog, registrationUrl, startedLines } from './terminal.ts';

/** Exit codes: 0 stopped as asked, 1 failed while running, 2 cannot start (configuration, data directory, keys). */
const EXIT_FAILED = 1;
const EXIT_CANNOT_START = 2;

const STANDARD_OUTPUT = 1;

async function main(): Promise<void> {
  excludeMemoryFromCoreDumps();
  const config = loadConfig();
  trustAuthorities(config);
  // A person at a terminal gets readable lines, anything else JSON.
  const isTerminal = process.stdout.isTTY;
  const log = openLogOutput(STANDARD_OUTPUT);
  const show = (text: string): void => log.write(text);
  const logger = createLogger(config.logLevel, isTerminal ? readableLog(show) : log);
  // Node's own warnings go there, too: a full disk or a closed pipe must not end the daemon.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  for (const warning of config.warnings) logger.warn({}, warning);
  logger.info({ version: packageVersion(), config: redactedConfig(config) }, 'starting');
  const app = await createApp({ config, logger, log });
  let stopping = false;
  const stop = (reason: string, exitCode: number): void => {
    if (stopping) return;
    stopping = true;
    logger.info({ reason }, 'stopping');
    // A part that hangs must not keep the process: what is unfinished is taken up at the next start.
    setTimeout(() => process.exit(EXIT_FAILED), config.shutdownGraceMs).unref();
    void app.stop().then(() => {
      logger.info({}, 'stopped');
      process.exit(exitCode);
    });
  };
  process.on('SIGTERM', () => stop('SIGTERM', 0));
  process.on('SIGINT', () => stop('SIGINT', 0));
  // At a terminal it means that the terminal was closed; elsewhere, as in other daemons, to re-read files.
  process.on('SIGHUP', () => (isTerminal ? stop('SIGHUP', 0) : app.reload()));
  // State after an unexpected error is unknown: stop, and let the next start resume from the database.
  process.on('uncaughtException', (error) => {
    logger.error({ err: error }, 'uncaught exception; the daemon stops');
    stop('uncaught exception', EXIT_FAILED);
  });
  process.on('unhandledRejection', (error) => {
    logger.error({ err: error }, 'unhandled promise rejection; the daemon stops');
    stop('unhandled promise rejection', EXIT_FAILED);
  });
  const { url, operatorUrl, hasUsers, setupToken } = await app.start();
  const { dataDir, logLevel } = config;
  const { baseUrl } = config.http;
  logger.info({ url, baseUrl, ...(operatorUrl === null ? {} : { operatorUrl }) }, 'listening');
  const registerUrl = hasUsers ? null : registrationUrl(baseUrl, setupToken);
  if (setupToken !== null)
    logger.warn({ registerUrl }, 'no user account exists yet; create the first one at this address');
  if (isTerminal) show(startedLines({ baseUrl, dataDir, logLevel, registerUrl }));
}

main().catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  // A configuration error already reads as a whole text that names every bad field.
  process.stderr.write(error instanceof ConfigError ? `${message}\n` : `tilld cannot start: ${message}\n`);
  // Worth another try: the replica may answer then.
  process.exit(error instanceof ReplicaUnknownError ? EXIT_FAILED : EXIT_CANNOT_START);
});
