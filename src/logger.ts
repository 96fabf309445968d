import { pino, type DestinationStream, type Logger as PinoLogger } from 'pino';

/** Fields that may carry a secret wherever they turn up in a log line. */
const SECRET_FIELDS = [
  'password',
  'passphrase',
  'secret',
  'token',
  'authorization',
  'cookie',
  'mnemonic',
  'words',
  'seed',
  'privateKey',
  'apiKey',
];

/** What a secret looks like inside a text, such as an error message of a library. */
const SECRET_SHAPES: readonly [RegExp, string][] = [
  [/\bsk_[A-Za-z0-9]{16,}/g, 'sk_[redacted]'],
  [/\bwhsec_[A-Za-z0-9+/=]{16,}/g, 'whsec_[redacted]'],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}/g, '[redacted token]'],
  [/(\b(?:https?|wss?|smtps?):\/\/)[^\s/@"']+:[^\s/@"']+@/g, '$1[redacted]@'],
  [/\b(Bearer|Basic) [A-Za-z0-9._~+/=-]{8,}/g, '$1 [redacted]'],
];

/** Blanks everything in a line that has the shape of a secret. */
function redactText(line: string): string {
  return SECRET_SHAPES.reduce((text, [shape, replacement]) => text.replace(shape, replacement), line);
}

/** The program's log: JSON lines, secrets removed by field name and by shape. */
export function createLogger(level: string, destination?: DestinationStream): PinoLogger {
  const paths = SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]);
  const options = {
    level,
    base: null,
    redact: { paths, censor: '[redacted]' },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    hooks: { streamWrite: redactText },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}
